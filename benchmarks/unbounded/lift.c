// A lift in a house of as many floors as an input says; anyone may move it by one under a lock.
// -DTOP looks for the floor above the last, -DUNLOCKED moves it without the lock.
//
// run: --check assert,race,misuse
// expect: sc=SAFE tso=SAFE pso=SAFE rc11=SAFE aarch64=SAFE riscv=SAFE power=SAFE
//
// run: --check assert --unwind 2 -DTOP
// expect: sc=UNSAFE tso=UNSAFE rc11=UNSAFE aarch64=UNSAFE
//
// run: --check assert --unwind 2 -DUNLOCKED
// expect: sc=UNSAFE tso=UNSAFE rc11=UNSAFE aarch64=UNSAFE

#include <assert.h>
#include <pthread.h>

extern int __VERIFIER_nondet_int(void);

int floors, floor_now;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void *passenger(void *arg) {
#ifndef UNLOCKED
  pthread_mutex_lock(&lock);
#endif
#ifdef TOP
  if (__VERIFIER_nondet_int() && floor_now < floors) floor_now++;
#else
  if (__VERIFIER_nondet_int() && floor_now + 1 < floors) floor_now++;
#endif
  else if (floor_now > 0) floor_now--;
  assert(0 <= floor_now && floor_now < floors);
#ifndef UNLOCKED
  pthread_mutex_unlock(&lock);
#endif
  return 0;
}

int main(void) {
  pthread_t t;
  floors = __VERIFIER_nondet_int();
  if (floors < 1) return 0;
  for (;;) pthread_create(&t, 0, passenger, 0);
}
