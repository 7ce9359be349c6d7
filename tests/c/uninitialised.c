// Values that nobody has written, on every way that they can take: registers, bit-fields, copies of
// structures, the heap, another thread that reads a node too early.
//
// run: -DBRANCH --check uninitialised
// expect: all=UNSAFE
//
// run: -DRETURNED --check uninitialised
// expect: all=UNSAFE
//
// run: -DFIELD --check uninitialised
// expect: all=SAFE
//
// run: -DNEIGHBOUR --check uninitialised
// expect: all=UNSAFE
//
// run: -DCOPY --check uninitialised
// expect: all=SAFE
//
// run: -DCOPIED --check uninitialised
// expect: all=UNSAFE
//
// run: -DHEAP --check uninitialised
// expect: all=SAFE
//
// run: -DGROWN --check uninitialised
// expect: all=UNSAFE
//
// run: -DITERATION --check uninitialised
// expect: all=UNSAFE
//
// run: -DPOINTER --check uninitialised
// expect: all=UNSAFE
//
// run: -DOTHER --check uninitialised
// expect: all=UNSAFE
//
// run: -DPUBLISH --check uninitialised
// expect: sc,tso=SAFE pso,rmo,alpha,power2010,power=UNSAFE
//
// run: -DPUBLISH -DORDER=memory_order_release --check uninitialised
// expect: sc,tso,pso,rmo,alpha,power=SAFE power2010=UNSAFE
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

struct bits { unsigned low : 3, high : 5; };
struct pair { char tag; int value; };

#ifndef ORDER
#define ORDER memory_order_relaxed
#endif
static _Atomic(struct pair *) head;

static void *publish(void *unused) {
  struct pair *node = malloc(sizeof *node);
  node->value = 1;
  atomic_store_explicit(&head, node, ORDER);
  return 0;
}

static int *volatile box;

static void *lend(void *unused) {
  int v;
  box = &v;
  while (box)
    ;
  return 0;
}

static int maybe(int x) {
  if (x)
    return 1;
}

int main(void) {
#if defined BRANCH
  int i;
  if (i)
    return 1;
#elif defined RETURNED
  return maybe(0);
#elif defined FIELD
  struct bits s;
  s.low = 2;
  return s.low == 2;
#elif defined NEIGHBOUR
  struct bits s;
  s.low = 2;
  return s.high == 2;
#elif defined COPY
  struct pair p, q, r;
  p.tag = 1;
  q = p;
  memcpy(&r, &q, sizeof r);
  return r.tag;
#elif defined COPIED
  struct pair p, q, r;
  p.tag = 1;
  q = p;
  memcpy(&r, &q, sizeof r);
  return r.value;
#elif defined HEAP
  int *p = malloc(2 * sizeof *p), *q = calloc(2, sizeof *q);
  p[0] = 1;
  p = realloc(p, 3 * sizeof *p);
  return p[0] + q[1];
#elif defined GROWN
  int *p = malloc(2 * sizeof *p);
  p[0] = p[1] = 1;
  p = realloc(p, 3 * sizeof *p);
  return p[2];
#elif defined ITERATION
  for (int i = 0; i < 2; i++) {
    int x;
    if (i == 0)
      x = 1;
    if (x)
      continue;
  }
#elif defined POINTER
  int *p;
  return *p;
#elif defined OTHER
  pthread_t t;
  pthread_create(&t, 0, lend, 0);
  int *p, seen = 0;
  while (!(p = box))
    ;
  if (*p)
    seen = 1;
  box = 0;
  pthread_join(t, 0);
#elif defined PUBLISH
  pthread_t t;
  pthread_create(&t, 0, publish, 0);
  struct pair *node = atomic_load_explicit(&head, memory_order_acquire), copy;
  if (node) {
    copy = *node;
    if (copy.value)
      copy.value = 2;
  }
  pthread_join(t, 0);
#endif
  return 0;
}
