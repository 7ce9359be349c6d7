// A subscript that leads so far behind an array that it would come to another object, where objects are numbered
// in the high bits of their addresses. -DNEAR is that of an element, -DBACK goes back and forth, -DBEHIND begins
// behind the first element, -DSTEPS goes in three steps; -DLARGE and -DHUGE are those of large arrays.
//
// run: --check memory
// expect: all=UNSAFE
//
// run: --check memory -DPOINTER
// expect: all=UNSAFE
//
// run: --check memory -DWRAPS
// expect: all=UNSAFE
//
// run: --check memory --data-model ILP32 -DFAR=262144
// expect: all=UNSAFE
//
// run: --check assert
// expect: all=UNKNOWN
//
// run: --check memory -DNEAR
// expect: all=SAFE
//
// run: --check memory -DBACK
// expect: all=SAFE
//
// run: --check memory --data-model ILP32 -DBACK
// expect: all=SAFE
//
// run: --check memory --data-model ILP32 -DLARGE
// expect: all=SAFE
//
// run: --check memory --data-model ILP32 -DBEHIND
// expect: all=UNSAFE
//
// run: --check memory -DSTEPS
// expect: all=UNSAFE
//
// run: --check memory -DHUGE
// expect: all=SAFE

#ifndef FAR
#define FAR 1073741824
#endif

extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assume(int);

int a[4], x[4];
#if defined(LARGE)
int large[200000];
#elif defined(HUGE)
char huge[3000000000];
#endif

int main(void) {
#if defined(NEAR)
  int i = __VERIFIER_nondet_int();
  __VERIFIER_assume(i >= 0 && i < 4);
  a[i] = 1;
#elif defined(BACK)
  unsigned long one = 1;
  int *p = a + 2;
  p = p + -one;
  *p = 1;
#elif defined(LARGE)
  int i = 150000;
  large[i] = 1;
#elif defined(HUGE)
  unsigned long i = 2500000000;
  huge[i] = 1;
#elif defined(POINTER)
  int *p = a;
  long i = FAR;
  p += i;
  *p = 1;
#elif defined(BEHIND)
  int *p = a + 3;
  p = p + 262141;
  *p = 1;
#elif defined(STEPS)
  long i = 1 << 29;
  int *p = a;
  p = p + i;
  p = p + i / 4;
  p = p + 3 * i / 4;
  *p = 1;
#elif defined(WRAPS)
  unsigned long i = 1UL << 62;
  a[i] = 1;
#else
  int i = __VERIFIER_nondet_int();
  __VERIFIER_assume(i == FAR);
  a[i] = 1;
#endif
  return x[0];
}
