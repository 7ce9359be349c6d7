// A case may stand behind declarations of its block: their objects exist, without a value, whichever
// case is jumped to.
//
// run:
// expect: all=SAFE
//
// They end with the block.
// run: -DBEHIND
// expect: all=UNSAFE

#include <assert.h>

extern int __VERIFIER_nondet_int(void);

int main(void) {
  int *p = 0;
  int sum = 0;
  for (int round = 0; round < 2; round++) {
    switch (__VERIFIER_nondet_int()) {
      int z;
    case 1:
      z = 5;
      p = &z;
      assert(*p == 5);
      break;
    case 2:
      z = 6;
      p = &z;
      assert(*p == 6);
      /* fall through */
    default:
      p = &z;
      *p = 7;
      assert(z == 7);
    }
    sum++;
  }
#if defined BEHIND
  *p = 8;
#endif
  assert(sum == 2);
  return 0;
}
