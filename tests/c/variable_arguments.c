// Arguments without a name: their values, and reading more of them than there are.
//
// run: --check assert,memory,misuse,overflow
// expect: all=SAFE
//
// run: -DMORE
// expect: all=UNSAFE

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
struct s { int a, b; };
static long sum(int n, ...) {
  va_list ap, other;
  long s = 0;
  va_start(ap, n);
  va_copy(other, ap);
  for (int i = 0; i < n; i++) s += va_arg(ap, int);
  va_end(ap);
  if (n > 0) s += 100 * va_arg(other, int);
  va_end(other);
  return s;
}
static int inner(const char *f, va_list ap) {
  unsigned char c = va_arg(ap, int);
  long long l = va_arg(ap, long long);
  char *p = va_arg(ap, char *);
  struct s s = va_arg(ap, struct s);
  double d = va_arg(ap, double);
  return c == 200 && l == -5 && p[1] == 'b' && s.b == 4;
}
static int mixed(const char *f, ...) { va_list ap; va_start(ap, f); int r = inner(f, ap); va_end(ap); return r; }
static void say(const char *f, ...) { va_list ap; va_start(ap, f); vprintf(f, ap); va_end(ap); }
int main(void) {
  int (*through)(const char *, ...) = mixed;
  assert(sum(0) == 0);
  assert(sum(3, 1, 2, -7) == 96);
  assert(mixed("x", (unsigned char)200, -5ll, "ab", (struct s){3, 4}, 1.5));
  assert(through("x", (unsigned char)200, -5ll, "ab", (struct s){3, 4}, 1.5));
  say("%d %f\n", 3, 2.5);
#ifdef MORE
  return sum(2, 1);
#endif
  return 0;
}
