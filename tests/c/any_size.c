// An object whose size is an input: all sizes are meant. -DEMPTY lets it have no element, -DRACE lets two threads
// write one, -DVARIABLE is an array of variable length, -DBEHIND an access to an element that large objects have.
//
// run: --check assert,memory
// expect: all=SAFE
//
// run: --check memory -DEMPTY
// expect: all=UNSAFE
//
// run: --check race -DRACE
// expect: all=UNSAFE
//
// run: --check assert,memory -DVARIABLE
// expect: all=SAFE
//
// run: --check memory -DBEHIND --engine sat
// expect: all=UNKNOWN

#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assume(int);

int *a;

static void *writes(void *arg) {
  a[0] = 1;
  return 0;
}

int main(void) {
  int n = __VERIFIER_nondet_int();
#ifdef EMPTY
  __VERIFIER_assume(n >= 0);
#else
  __VERIFIER_assume(n >= 1);
#endif
#ifdef VARIABLE
  int elements[n];
  a = elements;
#else
  a = malloc(n * sizeof(int));
#endif
  pthread_t t;
  pthread_create(&t, 0, writes, 0);
#ifdef RACE
  a[n - 1] = 2;
#endif
#ifdef BEHIND
  int i = __VERIFIER_nondet_int();
  if (i > 0 && i < n)
    a[i] = 3;
#endif
  pthread_join(t, 0);
  assert(a[0] == 1);
  return 0;
}
