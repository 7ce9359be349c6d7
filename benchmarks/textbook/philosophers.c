// Five philosophers who take the fork with the smaller number first. -DBROKEN: the left one first.
//
// run: --check deadlock
// expect: sc,tso,power,aarch64,riscv,rc11=SAFE
//
// run: --check deadlock -DBROKEN
// expect: sc,tso,power,aarch64,riscv,rc11=UNSAFE

#include <pthread.h>

#define COUNT 5

pthread_mutex_t forks[COUNT];

void eat(int first, int second) {
  pthread_mutex_lock(&forks[first]);
  pthread_mutex_lock(&forks[second]);
  pthread_mutex_unlock(&forks[second]);
  pthread_mutex_unlock(&forks[first]);
}

void *philosopher(void *arg) {
  int left = (int)(long)arg, right = (left + 1) % COUNT;
#ifdef BROKEN
  eat(left, right);
#else
  if (left < right)
    eat(left, right);
  else
    eat(right, left);
#endif
  return 0;
}

int main(void) {
  pthread_t t[COUNT];
  for (int i = 0; i < COUNT; i++) pthread_mutex_init(&forks[i], 0);
  for (int i = 0; i < COUNT; i++) pthread_create(&t[i], 0, philosopher, (void *)(long)i);
  for (int i = 0; i < COUNT; i++) pthread_join(t[i], 0);
  return 0;
}
