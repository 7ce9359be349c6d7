// Characters accessed as an integer at an offset that is not known: there is no such scalar, but
// the bytes are there.
//
// run: -DFIRST=0 -DLAST=4
// expect: all=UNKNOWN
//
// run: -DFIRST=4 -DLAST=5
// expect: all=UNSAFE
//
// run: -DFIRST=0 -DLAST=4 -DELEMENT=int -DCOUNT=2
// expect: all=UNKNOWN
//
// run: -DFIRST=0 -DLAST=1 -DSTEP=4 -DELEMENT=int -DCOUNT=2
// expect: all=SAFE

#include <assert.h>

extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assume(int);

#ifndef ELEMENT
#define ELEMENT char
#define COUNT 8
#endif
#ifndef STEP
#define STEP 1
#endif

ELEMENT buf[COUNT];

int main(void) {
  int i = __VERIFIER_nondet_int();
  __VERIFIER_assume(FIRST <= i && i <= LAST);
  int *p = (int *)((char *)buf + STEP * i);
  *p = 1;
  assert(*p == 1);
  return 0;
}
