// Nodes on the heap, handed over through a list: what was written before they were pushed is
// ordered, what is written afterwards is not.
//
// run: --check race
// expect: sc,tso,pso,rmo,alpha,power=SAFE power2010=UNKNOWN
//
// (A release does not order the beginning of a node on power2010: what is read before it has no
// meaning where memory is not checked.)
//
// run: --check race -DLATE
// expect: all=UNSAFE
//
// run: --check race -DRELAXED
// expect: all=UNSAFE

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#ifdef RELAXED
#define GIVE memory_order_relaxed
#else
#define GIVE memory_order_release
#endif

struct node {
  int value;
  struct node *next;
};

struct node *_Atomic top;

void *push(void *arg) {
  struct node *n = malloc(sizeof *n);
  n->value = 1;
  n->next = atomic_load_explicit(&top, memory_order_relaxed);
  atomic_store_explicit(&top, n, GIVE);
#ifdef LATE
  n->value = 2;
#endif
  return 0;
}

void *pop(void *arg) {
  struct node *n = atomic_load_explicit(&top, memory_order_acquire);
  if (n) {
    n->value++;
    atomic_store_explicit(&top, n->next, memory_order_relaxed);
  }
  return 0;
}

int main(void) {
  pthread_t t0, t1;
  pthread_create(&t0, 0, push, 0);
  pthread_create(&t1, 0, pop, 0);
  return 0;
}
