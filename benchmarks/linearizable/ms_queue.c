// The queue of Michael and Scott (PODC 1996). Nodes that are taken are kept. -DRELAXED links a node before what is
// in it. -DNO_CHECK does not look whether the tail lags behind: it replaces the node that is behind the tail.
// -DNO_RETRY does not try again when another thread has linked a node.
//
// run: --linearizable --parallel put(1),take;put(2),take
// expect: sc,rc11=SAFE
//
// run: --linearizable --parallel put(1),put(2),take;put(3),take,take
// expect: sc,rc11=SAFE
//
// run: --linearizable --parallel put(1),take;put(2),take;take
// expect: sc,rc11=SAFE
//
// run: --check linearizable --parallel put(1);take -DRELAXED
// expect: sc=SAFE rc11=UNSAFE
//
// run: --linearizable --parallel put(1);put(2),take,take -DNO_CHECK
// expect: sc,rc11=UNSAFE
//
// run: --linearizable --parallel put(1);put(2),take,take -DNO_RETRY
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
  _Atomic(struct node *) next;
};

struct node first;
_Atomic(struct node *) head = &first, tail = &first;

void put(int value) {
  struct node *n = malloc(sizeof *n);
  n->value = value;
  atomic_init(&n->next, 0);
  for (;;) {
    struct node *last = atomic_load_explicit(&tail, memory_order_acquire);
    struct node *next = atomic_load_explicit(&last->next, memory_order_acquire);
#ifndef NO_CHECK
    if (next) {
      atomic_compare_exchange_strong_explicit(&tail, &last, next, memory_order_release,
                                              memory_order_relaxed);
      continue;
    }
#endif
    if (atomic_compare_exchange_strong_explicit(&last->next, &next, n, RELEASE,
                                                memory_order_relaxed)) {
      atomic_compare_exchange_strong_explicit(&tail, &last, n, memory_order_release,
                                              memory_order_relaxed);
      return;
    }
#ifdef NO_RETRY
    return;
#endif
  }
}

// 0 if the queue is empty.
int take(void) {
  for (;;) {
    struct node *old = atomic_load_explicit(&head, memory_order_acquire);
    struct node *last = atomic_load_explicit(&tail, memory_order_acquire);
    struct node *next = atomic_load_explicit(&old->next, memory_order_acquire);
    if (!next)
      return 0;
    if (old == last) {
      atomic_compare_exchange_strong_explicit(&tail, &last, next, memory_order_release,
                                              memory_order_relaxed);
      continue;
    }
    if (atomic_compare_exchange_strong_explicit(&head, &old, next, memory_order_acq_rel,
                                                memory_order_relaxed))
      return next->value;
  }
}
