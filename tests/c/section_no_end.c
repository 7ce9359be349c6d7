// Nobody sees anything of an atomic section that does not come to its end: the process ends within, an
// assumption fails, or a wait does not end. What fails within such a section fails all the same.
//
// run: -DABORT
// expect: all=SAFE
//
// run: -DEXIT
// expect: all=SAFE
//
// run: -DASSUME
// expect: all=SAFE
//
// run: -DLOCK
// expect: all=SAFE
//
// run: -DINSIDE
// expect: all=UNSAFE
//
// run: -DSOMETIMES
// expect: all=UNSAFE
//
// run: -DBEFORE
// expect: all=UNSAFE
//
// run: -DTWO
// expect: all=UNSAFE
//
// run: -DFREE --check memory
// expect: all=SAFE

#include <pthread.h>
#include <stdlib.h>

extern void __VERIFIER_atomic_begin(void), __VERIFIER_atomic_end(void), __VERIFIER_assume(int);
void reach_error(void) {}

int x, y, z;
int *p;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

#if defined ABORT
static void end(void) { if (x == 1) abort(); }
#elif defined EXIT
static void end(void) { if (x == 1) exit(0); }
#elif defined ASSUME
static void end(void) { __VERIFIER_assume(y == 2); }
#elif defined LOCK
static void end(void) { pthread_mutex_lock(&m); pthread_mutex_lock(&m); }
#elif defined INSIDE
static void end(void) { if (x == 1) reach_error(); abort(); }
#elif defined SOMETIMES
static void end(void) { if (y == 0) abort(); }
#elif defined FREE
static void end(void) { free(p); abort(); }
#else
static void end(void) { abort(); }
#endif

void __VERIFIER_atomic_step(void) {
  x = 1;
  end();
}

void *t(void *a) {
  __VERIFIER_atomic_step();
  return 0;
}

#ifdef TWO
// Each would have to be the last thing that happens.
void *one(void *a) { __VERIFIER_atomic_begin(); int r = y; x = 1; abort(); __VERIFIER_atomic_end(); return 0; }
void *two(void *a) { __VERIFIER_atomic_begin(); int r = x; y = 1; abort(); __VERIFIER_atomic_end(); return 0; }
#endif

int main(void) {
  pthread_t i, j;
  p = malloc(sizeof *p);
#ifdef TWO
  pthread_create(&i, 0, one, 0);
  pthread_create(&j, 0, two, 0);
  z = 1;
  if (z == 1) reach_error();
#elif defined FREE
  pthread_create(&i, 0, t, 0);
  *p = 1;
#else
  pthread_create(&i, 0, t, 0);
#ifdef BEFORE
  if (x == 0) reach_error();
#endif
  y = 1;
#ifndef INSIDE
  if (x == 1) reach_error();
#endif
#endif
}
