// Dining philosophers: everybody takes the left fork and waits for the right one. -DORDERED takes
// the fork with the smaller number first.
//
// run: --check deadlock --unwind 3
// expect: all=UNSAFE
//
// run: --check deadlock --unwind 3 -DORDERED
// expect: all=SAFE

#include <pthread.h>

#define PHILOSOPHERS 3

pthread_mutex_t fork_of[PHILOSOPHERS];

void *philosopher(void *arg) {
  int left = *(int *)arg, right = (left + 1) % PHILOSOPHERS;
#ifdef ORDERED
  if (right < left) {
    int t = left;
    left = right;
    right = t;
  }
#endif
  pthread_mutex_lock(&fork_of[left]);
  pthread_mutex_lock(&fork_of[right]);
  pthread_mutex_unlock(&fork_of[right]);
  pthread_mutex_unlock(&fork_of[left]);
  return 0;
}

int main(void) {
  pthread_t t[PHILOSOPHERS];
  int id[PHILOSOPHERS];
  for (int i = 0; i < PHILOSOPHERS; i++) {
    id[i] = i;
    pthread_mutex_init(&fork_of[i], 0);
  }
  for (int i = 0; i < PHILOSOPHERS; i++) {
    pthread_create(&t[i], 0, philosopher, &id[i]);
  }
  for (int i = 0; i < PHILOSOPHERS; i++) {
    pthread_join(t[i], 0);
  }
  return 0;
}
