// A slot of pointers that is filled by memcpy through `void *`, of a size that is a parameter; what is
// copied comes out as it was. Another thread that reads the slot meanwhile may see a part of it, if it has
// several.
//
// run:
// expect: all=SAFE
// run: -DWRONG
// expect: all=UNSAFE
// run: -DPAIR
// expect: all=SAFE
// run: -DODD
// expect: all=SAFE
// run: -DSHARED
// expect: all=SAFE
// run: -DSHARED -DPAIR
// expect: all=SAFE
// run: -DSHARED -DPAIR -DPARTS
// expect: all=UNKNOWN
#include <assert.h>
#include <pthread.h>
#include <string.h>

#if defined PAIR
struct entry {
  int a, b;
};
#elif defined ODD
struct __attribute__((packed)) entry {
  void *p;
  int a;
  short b;
  char c;
};
#else
struct entry {
  int *p;
};
#endif

struct entry ring[4];
int x, y;

void put(struct entry *slots, unsigned i, const void *entry, unsigned size) {
  void *at = (char *)slots + size * (i & 3);
  memcpy(at, entry, size);
}

#ifdef SHARED
void *reader(void *arg) {
#ifdef PAIR
  assert(ring[1].a == 0 || ring[1].a == 3);
#ifdef PARTS
  assert(ring[1].b == 0 || ring[1].b == 4);
#endif
#else
  int *p = ring[1].p;
  assert(p == 0 || p == &x);
#endif
  return 0;
}
#endif

int main(void) {
#if defined PAIR
  struct entry e = {3, 4};
#elif defined ODD
  struct entry e = {&x, 5, 6, 7};
#else
  struct entry e = {&x};
#endif
#ifdef SHARED
  pthread_t t;
  pthread_create(&t, 0, reader, 0);
#endif
  put(ring, 1, &e, sizeof e);
#if defined PAIR
  assert(ring[1].a == 3 && ring[1].b == 4 && ring[2].a == 0);
#elif defined ODD
  assert(ring[1].p == &x && ring[1].a == 5 && ring[1].b == 6 && ring[1].c == 7);
#elif defined WRONG
  assert(ring[1].p == &y);
#else
  assert(ring[1].p == &x);
  *ring[1].p = 1;
  assert(x == 1 && ring[0].p == 0);
#endif
#ifdef SHARED
  pthread_join(t, 0);
#endif
  return 0;
}
