// What a known format prints of integers, characters and strings is exact, and so is its length; a
// text that does not fit into its array is found, and one that may not fit is not taken to fit.
//
// expect: all=SAFE
//
// run: -DOVERFLOW --check memory
// expect: all=UNSAFE
//
// run: -DANY --check assert,memory
// expect: all=UNSAFE
//
// run: -DADDRESS --check memory
// expect: all=UNKNOWN
//
// run: -DLONG_ADDRESS --check memory
// expect: all=UNSAFE

#include <assert.h>
#include <stdio.h>
#include <string.h>

int __VERIFIER_nondet_int(void);

int main(void) {
  char text[32], small[4];
#ifdef OVERFLOW
  sprintf(small, "%s", "abcdef");
#elif defined(ANY)
  sprintf(small, "%d", __VERIFIER_nondet_int());
#elif defined(ADDRESS)
  sprintf(small, "%p", (void *)text);
#elif defined(LONG_ADDRESS)
  sprintf(small, "abc%p", (void *)text);
#else
  int n = sprintf(text, "%d-%5d|%-5s|%.3s%%%c %x", -12, 42, "ab", "wxyz", 'q', 255u);
  assert(n == 24 && strcmp(text, "-12-   42|ab   |wxy%q ff") == 0);
  assert(sprintf(text, "%.2f %g", 3.14159, 1e10) == 10 && strcmp(text, "3.14 1e+10") == 0);
  for (int i = 8; i < 11; i++) {
    assert(snprintf(small, sizeof small, "th%d", i) == (i > 9 ? 4 : 3));
    assert(small[2] == (i > 9 ? '1' : '0' + i) && small[3] == 0);
  }
  assert(snprintf(NULL, 0, "%ld", 123456789L) == 9);
#endif
  return 0;
}
