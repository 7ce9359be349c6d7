// Treiber's stack (IBM RJ 5118, 1986) with nodes that are used again, and its ABA problem: a thread
// reads the top and its successor, others pop both and push the first one back, and the thread's
// compare-and-swap puts the second one on the stack, which somebody holds.
//
// Checked: a popped node is free, that is, its holder gave it back and the popper sees so.
// -DTAGGED counts the operations beside the top (Treiber's own repair). -DHAZARD publishes the node
// that is about to be read, and nobody pushes a published one (Michael, TPDS 15(6), 2004): that is
// store buffering, so its fence is needed from TSO on. -DWEAK fails where a relaxed
// compare-and-swap is no fence, that is, not on PSO yet.
//
// run: --unwind 2
// expect: all=UNSAFE
//
// `push` uses a weak compare-and-swap, which C11 lets fail any number of times, and writes in each
// round: nothing is proved but up to a bound, unless the machine is one where it does not fail.
//
// run: -DTAGGED --unwind 2
// expect: sc,tso,pso,rmo,alpha,power=BOUND power2010=UNSAFE
//
// run: -DTAGGED --unwind 2 --weak-cas machine
// expect: sc,tso,pso,rmo=SAFE alpha,power=BOUND power2010=UNSAFE
//
// run: -DTAGGED -DWEAK --unwind 2 --weak-cas machine
// expect: sc,tso,pso=SAFE rmo,alpha,power2010,power=UNSAFE
//
// run: -DTAGGED -DSTRONG --unwind 2 --weak-cas machine
// expect: sc,tso,pso,rmo=SAFE alpha,power2010,power=BOUND
//
// run: -DHAZARD --unwind 3 --weak-cas machine
// expect: sc,tso,pso,rmo=SAFE alpha=BOUND
//
// run: -DHAZARD -DNO_FENCE --unwind 3 --weak-cas machine
// expect: sc=SAFE tso,pso,rmo,alpha,power2010=UNSAFE

#include "orders.h"
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

#define NODES 3
#define NONE NODES

struct node {
  int holder; /* 0: nobody */
  atomic_uint next;
} node[NODES + 1];

/* The index of a node, with a count of operations above it. */
atomic_ulong top;
atomic_uint hazard = NONE;

enum { TAKER = 1, RECYCLER = 2 };

#ifdef TAGGED
#define WITH_TAG(index, old) ((((old) >> 8) + 1) << 8 | (index))
#else
#define WITH_TAG(index, old) ((uint64_t)(index))
#endif
#define INDEX(word) ((unsigned)((word) & 0xff))

static void push(unsigned n) {
  node[n].holder = 0;
  uint64_t old = atomic_load_explicit(&top, RELAXED);
  do {
    atomic_store_explicit(&node[n].next, INDEX(old), RELAXED);
  } while (!atomic_compare_exchange_weak_explicit(&top, &old, WITH_TAG(n, old), RELEASE, RELAXED));
}

static unsigned pop(int me) {
  for (;;) {
    uint64_t old = atomic_load_explicit(&top, ACQUIRE);
    unsigned n = INDEX(old);
    if (n == NONE) {
      return NONE;
    }
#ifdef HAZARD
    if (me != RECYCLER) { /* which never finds a node pushed again that it did not push itself */
      atomic_store_explicit(&hazard, n, memory_order_relaxed);
#ifndef NO_FENCE
      atomic_thread_fence(memory_order_seq_cst);
#endif
      if (atomic_load_explicit(&top, ACQUIRE) != old) {
        continue;
      }
    }
#endif
    unsigned next = atomic_load_explicit(&node[n].next, RELAXED);
    if (atomic_compare_exchange_strong_explicit(&top, &old, WITH_TAG(next, old), ACQ_REL, RELAXED)) {
      assert(node[n].holder == 0);
      node[n].holder = me;
      return n;
    }
  }
}

/* Pushes a node again unless the other thread may be about to read it. */
static void recycle(unsigned n) {
#ifdef HAZARD
  atomic_thread_fence(memory_order_seq_cst);
  if (atomic_load_explicit(&hazard, ACQUIRE) == n) {
    return;
  }
#endif
  push(n);
}

void *taker(void *arg) {
  pop(TAKER);
  pop(TAKER);
  return 0;
}

void *recycler(void *arg) {
  unsigned first = pop(RECYCLER);
  pop(RECYCLER);
  if (first != NONE) {
    recycle(first);
  }
  return 0;
}

int main(void) {
  pthread_t a, b;
  for (unsigned n = 0; n < NODES; n++) {
    atomic_init(&node[n].next, n + 1);
  }
  pthread_create(&a, 0, taker, 0);
  pthread_create(&b, 0, recycler, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  return 0;
}
