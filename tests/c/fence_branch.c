// A fence under a branch orders only the executions that take the branch.
//
// run:
// expect: sc=SAFE tso,pso,rmo,alpha,power2010,power=UNSAFE
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
    FENCE_mfence;
  }
  r1 = y;
  return 0;
}

void *thread1(void *arg) {
  y = 1;
  FENCE_mfence;
  r2 = x;
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
  assert(!(c && r1 == 0 && r2 == 0));
#else
  assert(!(r1 == 0 && r2 == 0));
#endif
  return 0;
}
