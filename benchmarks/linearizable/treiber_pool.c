// The free list of a pool of nodes: a stack of Treiber (IBM RJ 5118, 1986) of the indices of its nodes. The word
// `top` has an index and a tag, which a pop increments. -DNO_TAG leaves the tag as it is: a node that is popped
// and pushed again in the meantime goes unnoticed (the ABA problem).
//
// run: --linearizable --setup push(1),push(2) --parallel pop;pop,pop,push(2)
// expect: sc,rc11=SAFE
//
// run: --linearizable --setup push(1),push(2),push(3) --parallel pop;pop;pop,pop,push(3),pop
// expect: sc,rc11=SAFE
//
// run: --linearizable --setup push(1),push(2) --parallel pop;pop,pop,push(2),pop -DNO_TAG
// expect: sc,rc11=UNSAFE

#include <stdatomic.h>

#define NODES 4
#define INDEX 0xff

#ifdef NO_TAG
#define TAG 0
#else
#define TAG (INDEX + 1)
#endif

// By index, from 1: the next node, or 0.
atomic_uint next[NODES];
atomic_uint top;

void push(unsigned node) {
  unsigned old = atomic_load_explicit(&top, memory_order_relaxed);
  do
    atomic_store_explicit(&next[node], old & INDEX, memory_order_relaxed);
  while (!atomic_compare_exchange_strong_explicit(&top, &old, (old & ~INDEX) | node, memory_order_release,
                                                  memory_order_relaxed));
}

// 0 if there is no free node.
unsigned pop(void) {
  unsigned old = atomic_load_explicit(&top, memory_order_acquire), new;
  do {
    if (!(old & INDEX))
      return 0;
    new = (old & ~INDEX) + TAG + atomic_load_explicit(&next[old & INDEX], memory_order_relaxed);
  } while (!atomic_compare_exchange_strong_explicit(&top, &old, new, memory_order_acquire,
                                                    memory_order_acquire));
  return old & INDEX;
}
