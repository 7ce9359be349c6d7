// The stack of Treiber (Systems Programming: Coping with Parallelism, IBM RJ 5118, 1986). Nodes that are popped
// are kept, so that no address comes back. -DRELAXED publishes a node before what is in it. -DNO_RETRY does not
// try again when another thread has changed the stack. -DFREED frees a node that another thread may look at.
//
// run: --linearizable --parallel push(1),pop;push(2),pop
// expect: sc,rc11=SAFE
//
// run: --linearizable --parallel push(1),pop;push(2),pop;push(3),pop
// expect: sc,rc11=SAFE
//
// run: --check linearizable --parallel push(1);pop -DRELAXED
// expect: sc=SAFE rc11=UNSAFE
//
// run: --linearizable --parallel push(1);push(2),pop,pop -DNO_RETRY
// expect: sc,rc11=UNSAFE
//
// run: --linearizable --setup push(1) --parallel pop;pop -DFREED
// expect: sc,rc11=UNSAFE

#include <stdatomic.h>
#include <stdlib.h>

#ifdef RELAXED
#define RELEASE memory_order_relaxed
#else
#define RELEASE memory_order_release
#endif

struct node {
  int value;
  struct node *next;
};

_Atomic(struct node *) top;

void push(int value) {
  struct node *n = malloc(sizeof *n);
  n->value = value;
  n->next = atomic_load_explicit(&top, memory_order_relaxed);
#ifdef NO_RETRY
  atomic_compare_exchange_strong_explicit(&top, &n->next, n, RELEASE, memory_order_relaxed);
#else
  while (!atomic_compare_exchange_strong_explicit(&top, &n->next, n, RELEASE, memory_order_relaxed))
    ;
#endif
}

// 0 if the stack is empty.
int pop(void) {
  struct node *n = atomic_load_explicit(&top, memory_order_acquire);
  while (n && !atomic_compare_exchange_strong_explicit(&top, &n, n->next, memory_order_acquire,
                                                     memory_order_acquire))
    ;
  if (!n)
    return 0;
  int value = n->value;
#ifdef FREED
  free(n);
#endif
  return value;
}
