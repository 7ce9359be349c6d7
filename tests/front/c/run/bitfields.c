/* Bit-fields: layout, promotion, initial values and neighbours. */
#include <assert.h>
#include <stddef.h>
#include <string.h>

struct mixed {
  char before;
  unsigned a : 3;
  int b : 5;
  unsigned c : 30;
  _Bool d : 1;
  char after;
};
struct crossing {
  char a : 4;
  int b : 20;
  char c;
};
struct split {
  unsigned a : 8;
  unsigned : 0;
  unsigned b : 8;
};
struct wide {
  unsigned long long a : 40;
  unsigned long long b : 24;
};
struct nested {
  int x;
  struct {
    unsigned lo : 4, hi : 4;
  };
  struct mixed m[2];
};
union both {
  struct {
    unsigned lo : 16, hi : 16;
  };
  unsigned all;
};
enum colour { RED, GREEN, BLUE };
struct coloured {
  enum colour first : 2, second : 2;
  int : 4;
  int rest : 8;
};

struct mixed global = {.before = 1, .b = -3, .a = 9, .c = 0x3fffffff, .d = 1, .after = 2};
struct nested deep = {1, {2, 3}, {{4, 5, 6, 7, 1, 8}, [1] = {.c = 77}}};
struct coloured table[2] = {{GREEN, BLUE, -1}, {.second = GREEN}};

static int sum(struct mixed m) { return m.before + m.a + m.b + (int)m.c + m.d + m.after; }

int main(void) {
  assert(sizeof(struct mixed) == 12 && sizeof(struct crossing) == 4);
  assert(sizeof(struct split) == 8 && sizeof(struct wide) == 8 && sizeof(struct coloured) == 4);
  assert(global.a == 1 && global.b == -3 && global.c == 0x3fffffff && global.d == 1);
  assert(global.before == 1 && global.after == 2);
  assert(deep.x == 1 && deep.lo == 2 && deep.hi == 3 && deep.m[0].b == 6 && deep.m[1].c == 77);
  assert(table[0].first == GREEN && table[0].second == BLUE && table[0].rest == -1);
  assert(table[1].first == RED && table[1].second == GREEN);

  struct mixed m;
  memset(&m, 0, sizeof m);
  m.a = 13;
  assert(m.a == 5 && m.b == 0 && m.before == 0);
  m.b = 15;
  assert(m.b == 15);
  m.b++;
  assert(m.b == -16);
  m.c = 1u << 29;
  m.c += 1u << 29;
  assert(m.c == 0 && m.a == 5 && m.b == -16 && m.after == 0);
  m.d = 42;
  assert(m.d == 1);
  assert(m.a - 6 < 0);
  assert((m.a = 14) == 6);
  assert(m.a++ == 6 && m.a == 7);
  assert(++m.a == 0);
  m.after = -1;
  m.c = ~0u;
  assert(m.after == -1 && m.c == 0x3fffffff && m.d == 1);

  struct crossing k = {.a = -1, .b = -5, .c = 9};
  assert(k.a == -1 && k.b == -5 && k.c == 9);
  k.b = 0x7ffff;
  assert(k.a == -1 && k.b == 0x7ffff && k.c == 9);
  k.b -= 1;
  assert(k.b == 0x7fffe);

  struct wide w = {.a = 0xffffffffffull, .b = 0x123456};
  w.a++;
  assert(w.a == 0 && w.b == 0x123456);
  w.a = 1ull << 39;
  assert(w.a >> 39 == 1);

  union both u = {.all = 0x12345678};
  assert(u.lo == 0x5678 && u.hi == 0x1234);
  u.lo = 1;
  assert(u.all == 0x12340001);

  struct nested copy = deep;
  copy.m[1].c = 5;
  copy.hi |= 8;
  assert(copy.hi == 11 && copy.lo == 2 && deep.hi == 3 && deep.m[1].c == 77);
  struct nested *p = &copy;
  p->m[0].d = 0;
  assert(p->m[0].d == 0 && p->m[0].c == 7);
  assert(sum(deep.m[0]) == 4 + 5 + 6 + 7 + 1 + 8);
  struct mixed literal = (struct mixed){.b = -1, .after = 3};
  assert(literal.b == -1 && literal.after == 3 && literal.a == 0);
  return 0;
}
