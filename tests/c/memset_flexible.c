// A header and the elements behind it in one memset of a computed size, whole elements or not; and memset of what a call
// returns.
//
// run: --check assert,memory
// expect: all=SAFE
//
// run: --check assert,memory -DODD
// expect: all=SAFE
//
// run: --check assert,memory -DONE_MORE
// expect: all=UNSAFE

#include <assert.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

struct item { unsigned long key; int mark; };
struct list { unsigned long head, tail; unsigned count; struct item items[]; };

#ifdef ONE_MORE
enum { MORE = 1 };
#else
enum { MORE = 0 };
#endif

static size_t bytes_of(unsigned n) { return offsetof(struct list, items) + n * sizeof(struct item); }
static void setup(struct list *l, unsigned n) { memset(l, 0, bytes_of(n) + MORE); }
static void fill(unsigned char *c, unsigned n) { memset(c, 7, n); }

int main(void) {
  unsigned n = 2;
  struct list *l = malloc(bytes_of(n));
  l->items[1].mark = 5;
  setup(l, n);
  assert(l->head == 0 && l->count == 0 && l->items[1].key == 0 && l->items[1].mark == 0);
  free(l);
#ifdef ODD
  struct item *i = malloc(sizeof *i);
  memset(i, 1, n + 9);
  assert(i->key == 0x0101010101010101ul && (i->mark & 0xffffff) == 0x010101);
  unsigned char *c = memset(malloc(7), 0, 7);
  fill(c + 1, 5);
  assert(c[0] == 0 && c[1] == 7 && c[5] == 7 && c[6] == 0);
  free(c);
  free(i);
#endif
  return 0;
}
