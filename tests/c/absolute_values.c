// Negating the least number is not possible (C11 7.22.6.1p2).
//
// run: --check overflow
// expect: all=UNSAFE
// run: --check overflow -DLONG
// expect: all=UNSAFE
// run: --check overflow -DFITS
// expect: all=SAFE
#include <limits.h>
#include <stdlib.h>

int main(void) {
#if defined LONG
  long x = LONG_MIN;
  return labs(x) != 0;
#elif defined FITS
  return abs(INT_MIN + 1) != INT_MAX;
#else
  int x = INT_MIN;
  return abs(x) != 0;
#endif
}
