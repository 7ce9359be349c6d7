// The bytes that belong to no value are open (C11 6.2.6.1p6, p7), unless something gives them one.
//
// run: -DINITIALISED
// expect: all=UNSAFE
//
// run: -DMEMBER
// expect: all=UNSAFE
//
// run: -DELEMENT
// expect: all=UNSAFE
//
// run: -DASSIGNED
// expect: all=UNSAFE
//
// run: -DUNION
// expect: all=UNSAFE
//
// run: -DUNION_INITIALISED
// expect: all=UNSAFE
//
// run: -DDETERMINED
// expect: all=SAFE
//
// run: -DMOVED --unwind 3
// expect: all=SAFE
//
// run: -DMOVED_AND_SEEN
// expect: all=UNSAFE
//
// run: -DTHREADS --check assert,memory,misuse,race
// expect: all=SAFE
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
struct s { char a; int b; };
struct outer { struct s in[2]; short t; };
union u { char c; int i; };
struct node { int v; struct link { struct link *next; } link; };
#define container_of(pointer) ((struct node *)((char *)(pointer) - (size_t)&((struct node *)0)->link))
struct s shared;
static void *first(void *unused) { shared.a = 1; return unused; }
static void *second(void *unused) { shared.b = 2; return unused; }
int main(int argc, char **argv) {
#ifdef INITIALISED
  struct s x = {1, 2}, y = {1, 2};
  assert(memcmp(&x, &y, sizeof x) == 0);
#elif defined MEMBER
  struct outer x;
  memset(&x, 0, sizeof x);
  x.in[1].b++;
  assert(((unsigned char *)&x)[9] == 0);
#elif defined ELEMENT
  struct outer x;
  memset(&x, 0, sizeof x);
  x.in[argc & 1].a = 1;
  assert(((unsigned char *)&x)[1] == 0);
#elif defined ASSIGNED
  struct s x, y;
  memset(&y, 0xff, sizeof y);
  x = y;
  assert(((unsigned char *)&x)[1] == 0xff);
#elif defined UNION
  union u v;
  v.i = 0x01020304;
  v.c = 5;
  assert(v.i == 0x01020305);
#elif defined UNION_INITIALISED
  union u v = {1};
  assert(v.i == 1);
#elif defined DETERMINED
  struct s x = {1, 2}, y;
  memcpy(&y, &x, sizeof x);
  assert(memcmp(&x, &y, sizeof x) == 0);
  memset(&x, 0, sizeof x);
  unsigned char *p = (unsigned char *)&x;
  assert(p[1] == 0 && p[2] == 0 && p[3] == 0);
  static struct s w = {1, 2}, v = {1, 2};
  assert(memcmp(&w, &v, sizeof w) == 0);
  struct outer c = {}, d = {};
  assert(memcmp(&c, &d, sizeof c) == 0);
  struct s *h = calloc(1, sizeof *h), *g = calloc(1, sizeof *h);
  assert(memcmp(h, g, sizeof *h) == 0);
  union { struct { short low, high; }; int whole; unsigned char bytes[4]; } ticket = {.whole = 0};
  ticket.low = 1;
  ticket.bytes[1] = 1;
  assert(ticket.whole == 0x101);
  free(h);
  free(g);
#elif defined MOVED
  struct link heads[2];
  for (int i = 0; i < 2; i++) {
    struct node *n = malloc(sizeof *n);
    n->v = i;
    heads[i].next = &n->link;
    n->link.next = &heads[i];
  }
  int i = argc & 1;
  struct node *at = container_of(heads[i].next);
  while (&at->link != &heads[i]) {
    at->v++;
    assert(at->v == i + 1);
    at = container_of(at->link.next);
  }
#elif defined MOVED_AND_SEEN
  struct s *h = calloc(1, sizeof *h);
  h->a = 1;
  struct s *behind = (struct s *)((char *)h + 1);
  assert(*(char *)behind == 0);
  free(h);
#else
  pthread_t t, u;
  pthread_create(&t, 0, first, 0);
  pthread_create(&u, 0, second, 0);
  pthread_join(t, 0);
  pthread_join(u, 0);
  struct s copy;
  memcpy(&copy, &shared, sizeof copy);
  assert(memcmp(&copy, &shared, sizeof copy) == 0 && copy.a == 1 && copy.b == 2);
#endif
}
