// Where no execution comes to its end, nothing is known of what is behind the places where threads stop.
//
// run: -DSPIN --check assert --engine sat
// expect: all=UNKNOWN
//
// run: -DSPIN
// expect: all=UNSAFE
//
// run: -DASSUME
// expect: all=UNKNOWN
//
// run: -DLOCK --check assert
// expect: all=UNKNOWN
//
// run: -DLOCK --check deadlock
// expect: all=UNSAFE
//
// run: -DABORT
// expect: all=SAFE
//
// run: -DSOMETIMES
// expect: all=SAFE

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

extern void __VERIFIER_assume(int);

atomic_int go;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

void *w(void *a) {
#if defined SPIN
  while (!go) ;
#elif defined ASSUME
  __VERIFIER_assume(go);
#elif defined LOCK
  pthread_mutex_lock(&m);
  pthread_mutex_lock(&m);
#elif defined ABORT
  abort();
#else
  if (!go) while (!go) ;
#endif
  return 0;
}

int main(void) {
  pthread_t t;
  pthread_create(&t, 0, w, 0);
#ifdef SOMETIMES
  go = 1;
#endif
  pthread_join(t, 0);
}
