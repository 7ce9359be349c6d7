// What vsnprintf prints of a list is exact on each data model, and a text of wide characters is any.
//
// run: --data-model lp64
// expect: all=SAFE
//
// run: --data-model ilp32
// expect: all=SAFE
//
// run: -DWIDE --data-model ilp32
// expect: all=UNSAFE

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static int print(char *to, size_t size, const char *format, ...) {
  va_list args;
  va_start(args, format);
  int n = vsnprintf(to, size, format, args);
  va_end(args);
  return n;
}

int main(void) {
  char text[48];
#ifdef WIDE
  print(text, 4, "%ls", (const int[]){'a', 0});
  assert(strcmp(text, "a") == 0);
#else
  const char *expected = sizeof(long) == 8 ? "-5 ffffffffffffffff 1099511627776" : "-5 ffffffff 1099511627776";
  assert(print(text, sizeof text, "%ld %lx %lld", -5L, ~0UL, 1LL << 40) == (int)strlen(expected));
  assert(strcmp(text, expected) == 0);
#endif
  return 0;
}
