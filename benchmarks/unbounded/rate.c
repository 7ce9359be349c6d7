// Threads divide by an interval that others change. It is never 0.
// -DZERO takes whatever it is given, -DTWICE is 0 for a moment without the lock.
//
// run: --check assert,divzero,race
// expect: sc=SAFE tso=SAFE pso=SAFE rc11=SAFE aarch64=SAFE riscv=SAFE power=SAFE
//
// run: --check divzero --unwind 2 -DZERO
// expect: sc=UNSAFE tso=UNSAFE rc11=UNSAFE aarch64=UNSAFE
//
// run: --check divzero --unwind 2 -DTWICE
// expect: sc=UNSAFE tso=UNSAFE rc11=UNSAFE aarch64=UNSAFE

#include <assert.h>
#include <pthread.h>

extern unsigned __VERIFIER_nondet_uint(void);

unsigned interval = 1;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void *measure(void *arg) {
  unsigned count = __VERIFIER_nondet_uint();
  pthread_mutex_lock(&lock);
  unsigned rate = count / interval;
  pthread_mutex_unlock(&lock);
  assert(rate <= count);
  return 0;
}

void *change(void *arg) {
  unsigned next = __VERIFIER_nondet_uint();
#ifndef ZERO
  if (next == 0) return 0;
#endif
  pthread_mutex_lock(&lock);
#ifdef TWICE
  interval = 0;
  pthread_mutex_unlock(&lock);
  pthread_mutex_lock(&lock);
#endif
  interval = next;
  pthread_mutex_unlock(&lock);
  return 0;
}

int main(void) {
  pthread_t t;
  for (;;) {
    pthread_create(&t, 0, measure, 0);
    pthread_create(&t, 0, change, 0);
  }
}
