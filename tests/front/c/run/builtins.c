/* gcc's builtins, type selection and the rarer expressions. */
#include <assert.h>
#include <stddef.h>
#include <stdint.h>

#define KIND(x) _Generic((x), int: 1, unsigned: 2, char *: 3, long: 4, default: 0)

struct list {
  int value;
  struct list *next;
};
typedef struct __attribute__((packed)) {
  char c;
  long l;
} untagged;
struct __attribute__((packed)) tight {
  char c;
  int i;
};
static int *numbers = (int[]){1, 2, 3};
static struct list *chain = &(struct list){4, &(struct list){.value = 5}};
static int twice(int x) { return 2 * x; }
static int thrice(int x) { return 3 * x; }
static int (*table[])(int) = {twice, thrice, [3] = twice};
static int apply(int (*f)(int), int x) { return f(x); }
typedef int (*operation)(int);
static operation choose(int i) { return table[i]; }

int main(void) {
  assert(__builtin_popcount(0xf0f0) == 8 && __builtin_popcountll(~0ull) == 64);
  assert(__builtin_clz(1) == 31 && __builtin_ctz(8) == 3 && __builtin_ffs(0) == 0);
  assert(__builtin_ffs(12) == 3 && __builtin_parity(7) == 1 && __builtin_clzl(1) == 63);
  assert(__builtin_bswap32(0x12345678) == 0x78563412);
  int r;
  assert(!__builtin_add_overflow(1, 2, &r) && r == 3);
  assert(__builtin_add_overflow(INT32_MAX, 1, &r) && r == INT32_MIN);
  assert(__builtin_sub_overflow(INT32_MIN, 1, &r) && !__builtin_mul_overflow(6, 7, &r) && r == 42);
  unsigned char small;
  assert(__builtin_add_overflow(200, 100, &small) && small == 44);
  assert(__builtin_expect(3, 1) == 3);

  assert(KIND(1) == 1 && KIND(1u) == 2 && KIND("x") == 3 && KIND(1L) == 4 && KIND(1ull) == 0);
  __auto_type seven = 7L;
  assert(sizeof seven == sizeof(long) && (0 ?: 5) == 5 && (seven ?: 1) == 7);
  __typeof__(seven) eight = ({ long t = seven; t + 1; });
  assert(eight == 8);
  struct list b = {2, NULL}, a = {.next = &b, .value = 1};
  assert((&(struct list){3, &a})->next->next->value == 2);
  assert(((int[]){1, 2, 3})[1] == 2 && sizeof((int[]){1, 2, 3}) == 3 * sizeof(int));
  assert(offsetof(struct list, next) == sizeof(void *));
  assert(apply(choose(1), 4) == 12 && (*table[3])(5) == 10 && table[2] == NULL);
  assert(numbers[2] == 3 && chain->value == 4 && chain->next->value == 5);
  int m[2][3] = {{1, 2, 3}, {4, 5, 6}}, (*row)[3] = m;
  assert(row[1][2] == 6 && *(*(m + 1) + 1) == 5 && &m[1][0] - &m[0][0] == 3 && row + 1 == &m[1]);
  int total = 0;
  for (int i = 0; i < 2; i++)
    for (int j = 0; j < 3; j++) total += m[i][j];
  assert(total == 21);
  int designated[] = {[2] = 5, 6, [0] = 1};
  assert(sizeof designated == 4 * sizeof(int) && designated[3] == 6 && designated[1] == 0);
  int way = 0;
  switch (total) {
    case 1 ... 20: way = 1; break;
    case 21: way = 2; /* falls through */
    case 22: way += 10; break;
    default: way = 3;
  }
  assert(way == 12);
  int i = 0;
again:
  if (i < 3) {
    i++;
    goto again;
  }
  assert(i == 3);
  const char *s = "a\tb\x41\0c";
  assert(s[1] == 9 && s[3] == 'A' && s[4] == 0 && s[5] == 'c' && "xyz"[1] == 'y');
  _Static_assert(sizeof(struct list) == 2 * sizeof(void *), "padding");
  struct tight tight = {1, 2};
  tight.i++;
  assert(sizeof(untagged) == 1 + sizeof(long) && sizeof tight == 5 && tight.i == 3 && tight.c == 1);
  union {
    int i;
    unsigned u;
  } u = {.i = -1};
  assert(u.u == 0xffffffffu);
  volatile int v = 3;
  v += 2;
  assert(v == 5 && (v, 4) == 4);
  assert((char *)&m[1] - (char *)m == 3 * sizeof(int));
  unsigned chosen = 4, expected = 4;
  assert(_Generic(&chosen, unsigned *: __atomic_compare_exchange_n)(&chosen, &expected, 7u, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE));
  assert(chosen == 7 && _Generic(chosen, long: 0, default: __builtin_popcount)(chosen) == 3);
  return 0;
}
