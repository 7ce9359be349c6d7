// Two threads work on halves of an array and swap the halves at a barrier.
//
// run: --check race
// expect: all=SAFE

#include <pthread.h>

pthread_barrier_t barrier;
int half[2];

static void work(int me) {
  half[me] = me + 1;
  pthread_barrier_wait(&barrier);
  half[1 - me]++;
}

void *other(void *arg) {
  work(1);
  return 0;
}

int main(void) {
  pthread_t t;
  pthread_barrier_init(&barrier, 0, 2);
  pthread_create(&t, 0, other, 0);
  work(0);
  pthread_join(t, 0);
  return half[0] != 2 || half[1] != 3;
}
