// A branch without its fence: writes around a fence that may be skipped.
//
// run:
// expect: sc,tso=SAFE pso,rmo,alpha,power2010,power=UNSAFE
//
// run: -DWHEN_TAKEN
// expect: all=SAFE

#include "fences.h"
#include <assert.h>
#include <pthread.h>

extern int __VERIFIER_nondet_int(void);

int c, x, y, r1, r2;

void *thread0(void *arg) {
  x = 1;
  if (c) {
    FENCE_sync;
  }
  y = 1;
  return 0;
}

void *thread1(void *arg) {
  int a = y;
  FENCE_sync;
  int b = x;
  r1 = a;
  r2 = b;
  return 0;
}

int main(void) {
  pthread_t t0, t1;
  c = __VERIFIER_nondet_int();
  pthread_create(&t0, 0, thread0, 0);
  pthread_create(&t1, 0, thread1, 0);
  pthread_join(t0, 0);
  pthread_join(t1, 0);
#ifdef WHEN_TAKEN
  assert(!(c && r1 == 1 && r2 == 0));
#else
  assert(!(r1 == 1 && r2 == 0));
#endif
  return 0;
}
