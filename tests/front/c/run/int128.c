#include <assert.h>
#include <stddef.h>
#include <stdint.h>
typedef unsigned __int128 wide;
typedef int by_mode __attribute__((mode(TI)));
union parts {
  struct { uint64_t low, high; };
  wide whole;
};
struct holder { char c; __int128 n; } held = {1, -3};
wide start = ((wide)5 << 64) | 7, none;
__int128 numbers[3] = {1, -1};
_Static_assert((wide)-1 > 0 && (__int128)-1 < 0 && ((wide)1 << 64) >> 63 == 2, "constants");
enum { eight = (wide)8, below = (__int128)-2 };
static char array[(__int128)3];
static int is_of(wide n, uint64_t high, uint64_t low) {
  union parts p;
  p.whole = n;
  return p.high == high && p.low == low;
}
static wide joined(uint64_t high, uint64_t low) { return (wide)high << 64 | low; }
static __int128 twice(__int128 n) { return n + n; }
int main(void) {
  uint64_t ones = ~0ul;
  assert(sizeof array == 3 && eight == 8 && below == -2);
  int minus = -2;
  unsigned by = 3;
  assert(sizeof(__int128) == 16 && _Alignof(wide) == 16 && offsetof(struct holder, n) == 16);
  assert(is_of(start, 5, 7) && !none && held.n == -3 && is_of(held.n, ones, ones - 2));
  assert(numbers[0] == 1 && numbers[1] < 0 && numbers[2] == 0);
  wide n = joined(1, ones);
  assert(is_of(n + 1, 2, 0) && is_of(n - 1, 1, ones - 1) && is_of(n - joined(2, 0), ones, ones));
  assert(is_of(n * 3, 5, ones - 2) && is_of((wide)ones * ones, ones - 1, 1) && is_of(-n, ones - 1, 1));
  assert(is_of((wide)0x123456789abcdef0ul * 0xfedcba9876543211ul, 0x121fa00ad77d7422ul, 0x35a1df76f0d5adf0ul));
  assert(is_of(~n, ones - 1, 0) && is_of(n & joined(3, 5), 1, 5) && is_of(n | joined(4, 0), 5, ones) && is_of(n ^ n, 0, 0));
  assert(is_of(n << by, 15, ones - 7) && is_of(n >> by, 0, (1ul << 61) | (ones >> 3)) && is_of(n >> 64, 0, 1));
  assert(is_of(n << 64, ones, 0) && is_of(n << 65, ones - 1, 0) && is_of(n << 0, 1, ones) && is_of(n >> 0, 1, ones));
  assert((__int128)minus >> 1 == -1 && (__int128)minus >> 127 == -1 && is_of((__int128)minus, ones, ones - 1));
  assert(minus < (__int128)0 && (wide)minus > 5 && (__int128)ones > minus && (minus < (wide)1) == 0);
  assert(n > ones && n >= joined(1, ones) && n <= joined(1, ones) && n != ones && joined(2, 0) > n && !(n < n));
  assert((uint64_t)n == ones && (int)(n >> 64) == 1 && (unsigned char)n == 255 && (_Bool)(n << 64));
  assert(twice(-5) == -10 && is_of(twice(ones), 1, ones - 1));
  assert((wide)100 / 7 == 14 && (wide)100 % 7 == 2);
  assert(_Generic(n, __int128: 1, wide: 2) == 2 && _Generic((__int128)1 + 1ul, __int128: 1, default: 2) == 1);
  assert(_Generic((wide)1 + (__int128)1, wide: 1, default: 2) == 1 && _Generic(1 << (wide)2, int: 1, default: 2) == 1);
  assert(minus << (wide)2 == -8 && 9 >> (__int128)by == 1 && (n >> (wide)by) == (n >> 3));
  wide old = n++;
  assert(is_of(old, 1, ones) && is_of(n, 2, 0) && is_of(--n, 1, ones));
  n += 2;
  n <<= 4;
  n |= 3;
  assert(is_of(n, 32, 19));
  n = by ? n : by;
  __int128 sign = by > 9 ? 1u : (__int128)-1;
  assert(n && sign == -1 && (n && sign) && !(!n));
  union parts p = {.whole = 9};
  assert(p.low == 9 && p.high == 0);
  struct holder copy = held;
  copy.n -= 1;
  assert(copy.n == -4 && held.n == -3);
  wide cell = 8;
  wide *where = &cell;
  *where = *where + 1;
  by_mode mode = -7;
  assert(cell == 9 && (uintptr_t)(wide)(uintptr_t)where == (uintptr_t)where && mode + 7 == 0 && sizeof mode == 16);
  return 0;
}
