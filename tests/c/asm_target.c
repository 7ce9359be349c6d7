// Statements that several machines have, and mean otherwise: AT&T's syntax of x86 writes the last operand
// and compares with the first, ARM's the other way round. `--target` says which is meant.
//
// run:
// expect: sc,tso=SAFE
//
// run: --target aarch64
// expect: sc,aarch64=SAFE

#include <assert.h>

int main(void) {
  int x = 5, y = 7, greater_or_equal;
  __asm__("mov %0, %1" : "+r"(x), "+r"(y));
#ifdef __aarch64__
  assert(x == 7 && y == 7);
#else
  assert(x == 5 && y == 5);
#endif
  __asm__("cmp %1, %2" : "=@ccge"(greater_or_equal) : "r"(3), "r"(2));
#ifdef __aarch64__
  assert(greater_or_equal == 1);
#else
  assert(greater_or_equal == 0);
#endif
  return 0;
}
