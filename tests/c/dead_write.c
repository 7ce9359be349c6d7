// A write that is not executed, between two of the same location that are.
//
// run: -DLAST
// expect: all=SAFE
//
// run: -DMIDDLE
// expect: all=SAFE
//
// run: -DNEVER
// expect: all=SAFE
//
// run: -DSEEN
// expect: all=UNSAFE

#include "fences.h"
#include <assert.h>
#include <pthread.h>

extern int __VERIFIER_nondet_int(void);

int c, x, r1, r2;

void *thread0(void *arg) {
  x = 1;
  if (c) {
    x = 2;
  }
  x = 3;
  return 0;
}

void *thread1(void *arg) {
  int a = x;
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
#if defined(LAST)
  assert(!(r1 == 3 && r2 != 3) && x == 3);
#elif defined(MIDDLE)
  assert(!(r1 == 2 && r2 < 2));
#elif defined(NEVER)
  assert(!(c == 0 && (r1 == 2 || r2 == 2)));
#else
  assert(!(c == 0 && r1 == 1 && r2 == 3));
#endif
  return 0;
}
