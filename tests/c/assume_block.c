// An assumption that fails stops its own thread, and no other; where that one is joined no execution ends.
//
// run: -DOTHER
// expect: all=UNSAFE
//
// run: -DBEFORE
// expect: all=UNSAFE
//
// run: -DJOIN
// expect: all=UNKNOWN

#include "fences.h"
#include <assert.h>
#include <pthread.h>

extern void __VERIFIER_assume(int);

int x, r1;

void *thread0(void *arg) {
  x = 1;
  __VERIFIER_assume(0);
  x = 2;
  return 0;
}

void *thread1(void *arg) {
#if defined(OTHER)
  assert(0);
#elif defined(BEFORE)
  assert(x != 1);
#else
  assert(x != 2);
#endif
  return 0;
}

int main(void) {
  pthread_t t0, t1;
  pthread_create(&t0, 0, thread0, 0);
  pthread_create(&t1, 0, thread1, 0);
  pthread_join(t0, 0);
  pthread_join(t1, 0);
#ifdef JOIN
  assert(0);
#endif
  return 0;
}
