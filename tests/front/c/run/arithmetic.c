/* Conversions, promotions and operators. */
#include <assert.h>
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum color { RED, GREEN = 5, BLUE, NEGATIVE = -3 };
typedef unsigned char byte;

static int twice(int x) { return 2 * x; }
static unsigned char wrap(int x) { return x; }
static bool truthy(int x) { return x; }
static long sign_extend(int x) { return x; }

int main(void) {
  signed char c = -1;
  unsigned char u = 255;
  short s = -2;
  unsigned short us = 65535;
  unsigned x = 4000000000u;
  long l = -5;
  unsigned long ul = 1ul << 40;
  assert(c == -1 && u == 255 && c != u);
  assert(c + u == 254);
  assert((unsigned char)c == u);
  assert(u + 1 == 256 && (byte)(u + 1) == 0);
  assert(us + 1 == 65536 && s * us == -131070);
  assert(-1 > 0u && -1 < 0L + 1 && (long)-1 < 0);
  assert(x > 0 && (int)x < 0 && x / 3 == 1333333333u);
  assert(l / 2 == -2 && l % 2 == -1 && -l == 5 && ~l == 4);
  assert(l >> 1 == -3 && (ul >> 40) == 1 && (s >> 1) == -1 && (us >> 1) == 32767);
  assert((int)ul == 0 && (ul | 1) % 2 == 1);
  assert(twice(21) == 42 && wrap(257) == 1 && truthy(256) == 1 && truthy(0) == 0 && sign_extend(-7) == -7L);
  assert(BLUE == 6 && RED == 0 && NEGATIVE < 0);
  enum color color = GREEN;
  color++;
  assert(color == BLUE);
  bool b = 17;
  assert(b == 1 && b + b == 2 && !b == 0);
  b ^= 1;
  assert(!b);
  int i = 5, j;
  j = i++ + 10;
  assert(i == 6 && j == 15);
  j = --i * 2;
  assert(i == 5 && j == 10);
  i += j -= 3;
  assert(i == 12 && j == 7);
  i <<= 2, i |= 1, i %= 10;
  assert(i == 9);
  u += 3;
  assert(u == 2);
  assert((1 ? 2 : 3) == 2 && (i > 100 ? i++ : i--) == 9 && i == 8);
  assert((i ?: 4) == 8 && (0 ?: 4) == 4);
  assert(sizeof(int) == 4 && sizeof(char) == 1 && sizeof(long) == sizeof(void *) && sizeof 'a' == 4);
  assert(sizeof(struct { char a; long b; short c; }) == 24);
  assert(INT_MIN < 0 && INT_MAX + 1u == 2147483648u && UINT_MAX == ~0u);
  assert('a' == 97 && '\n' == 10 && '\x41' == 'A' && '\0' == 0);
  assert(0x7fffffff + 0u == 2147483647 && 010 == 8 && 0b101 == 5 && 3000000000 > 0);
  int side = 0;
  assert(!(0 && (side = 1)) && side == 0 && (1 || (side = 1)) && side == 0);
  assert((1 && (side = 2)) && side == 2 && (0 || (side = 3)) && side == 3);
  assert(_Generic(i, int: 1, long: 2, default: 3) == 1 && _Generic(&i, int *: 4, default: 5) == 4);
  __auto_type k = 3L;
  typeof(i) m = 4;
  assert(sizeof k == 8 && m == 4);
  assert(({ int t = i; t * 2; }) == 16);
  int8_t i8 = 200;
  uint64_t u64 = -1;
  assert(i8 == -56 && u64 == 18446744073709551615ull && (int64_t)u64 == -1);
  assert((side ? (unsigned char)1 : -1) == 1 && (side ? -1 : 1u) > 0);
  assert(__builtin_expect(!!i, 1) && __builtin_bswap32(0x01020304) == 0x04030201);
  return 0;
}
