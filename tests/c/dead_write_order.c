// A write that is not executed must not lose the order of the writes around it.
//
// run:
// expect: sc,tso=SAFE pso,rmo,alpha,power2010,power=UNSAFE
//
// run: -DF1=lwsync -DF2=sync
// expect: all=SAFE

#include "fences.h"
#include <assert.h>
#include <pthread.h>

extern int __VERIFIER_nondet_int(void);

int c, x, y, z, r1, r2;

void *thread0(void *arg) {
  x = 1;
  FENCE(F1);
  if (c) {
    y = 1;
  }
  z = 1;
  return 0;
}

void *thread1(void *arg) {
  int a = z;
  FENCE(F2);
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
  assert(!(c == 0 && r1 == 1 && r2 == 0));
  return 0;
}
