// A stack of as many numbers as an input says, pushed and popped by any number of threads under a lock.
// -DFULL pushes what has no room, -DBEHIND pops what is behind the last.
//
// run: --check race,memory,misuse
// expect: sc=SAFE tso=SAFE pso=SAFE rc11=SAFE aarch64=SAFE riscv=SAFE power=SAFE
//
// run: --check memory --unwind 3 -DFULL -DMOST=1
// expect: sc=UNSAFE tso=UNSAFE rc11=UNSAFE aarch64=UNSAFE
//
// run: --check memory --unwind 3 -DBEHIND -DMOST=1
// expect: sc=UNSAFE tso=UNSAFE rc11=UNSAFE aarch64=UNSAFE

#include <pthread.h>
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

#ifndef MOST
#define MOST 100000
#endif

int length, capacity, *numbers;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void *push(void *arg) {
  pthread_mutex_lock(&lock);
  int at = length;
#ifdef FULL
  if (at <= capacity) {
#else
  if (at < capacity) {
#endif
    numbers[at] = __VERIFIER_nondet_int();
    length = at + 1;
  }
  pthread_mutex_unlock(&lock);
  return 0;
}

void *pop(void *arg) {
  int number = 0;
  pthread_mutex_lock(&lock);
#ifdef BEHIND
  if (length > 0) number = numbers[length];
#else
  if (length > 0) number = numbers[--length];
#endif
  pthread_mutex_unlock(&lock);
  return number ? arg : 0;
}

int main(void) {
  pthread_t t;
  capacity = __VERIFIER_nondet_int();
  if (capacity < 1 || capacity > MOST) return 0;
  numbers = calloc(capacity, sizeof *numbers);
  if (!numbers) return 0;
  for (;;) {
    pthread_create(&t, 0, push, 0);
    pthread_create(&t, 0, pop, 0);
  }
}
