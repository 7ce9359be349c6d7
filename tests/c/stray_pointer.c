// A pointer that may be any number, and is the address of an object or function on some path.
//
// run: -DOBJECT
// expect: all=UNKNOWN
//
// run: -DELEMENT
// expect: all=UNKNOWN
//
// run: -DHEAP
// expect: all=UNKNOWN
//
// run: -DFUNCTION
// expect: all=UNKNOWN
//
// run: -DOVERFLOW
// expect: all=UNSAFE
//
// run: -DNOWHERE
// expect: all=UNSAFE

#include <assert.h>
#include <stdlib.h>

extern void *__VERIFIER_nondet_pointer(void);
extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assume(int);

int a[4], x[4];

void f(void) {}

int main(void) {
  int *p = __VERIFIER_nondet_pointer();
#if defined(OBJECT)
  __VERIFIER_assume(p == x);
  *p = 1;
  assert(x[0] == 1);
#elif defined(ELEMENT)
  int *q = __VERIFIER_nondet_int() ? p : x;
  __VERIFIER_assume(q == x + 1);
  *q = 1;
  assert(x[1] == 1);
#elif defined(HEAP)
  int *q = malloc(sizeof(int));
  *q = 0;
  __VERIFIER_assume(p == q);
  *p = 1;
  assert(*q == 1);
#elif defined(FUNCTION)
  void (*g)(void) = (void (*)(void))p;
  __VERIFIER_assume(g == f);
  g();
#elif defined(OVERFLOW)
  int i = __VERIFIER_nondet_int();
  __VERIFIER_assume(i == 1 << 30);
  a[i] = 1;
  assert(x[0] == 0);
#else
  __VERIFIER_assume(p != x);
  *p = 1;
#endif
  return 0;
}
