// The bounded queue of Vyukov (1024cores.net, 2010) for any number of producers and consumers. It is not
// linearizable: a consumer finds it empty when the first place has been claimed by a producer that has not filled
// it yet, although another one has filled the next. It is if calls wait for a place (-DWAIT). -DRELAXED and
// -DEARLY show a place before it is filled. -DSTORE may give one place to two producers, or one value to two
// consumers. If calls wait, a value that is lost leaves a consumer waiting: no property of what calls return, but
// of termination.
//
// run: --linearizable --setup init --parallel put(1),put(2);take(?),take(?)
// expect: sc,rc11=SAFE
//
// run: --linearizable --setup init --parallel put(1);put(2),take(?)
// expect: sc,rc11=UNSAFE
//
// run: --check quiescent --setup init --parallel put(1);put(2),take(?)
// expect: sc,rc11=SAFE
//
// run: --linearizable --setup init --parallel put(1),take(?);put(2),take(?) -DWAIT
// expect: sc,rc11=SAFE
//
// run: --linearizable --setup init --parallel put(1),take(?);put(2),take(?);put(3),take(?) -DWAIT
// expect: sc,rc11=SAFE
//
// run: --linearizable --setup init --parallel put(1);take(?) -DRELAXED
// expect: sc=SAFE rc11=UNSAFE
//
// run: --linearizable --setup init --parallel put(1);take(?) -DEARLY
// expect: sc,rc11=UNSAFE
//
// run: --linearizable --setup init,put(1) --parallel take(?);take(?) -DSTORE
// expect: sc,rc11=UNSAFE
//
// run: --check linearizable --setup init --parallel put(1);put(2),take(?),take(?) -DSTORE -DWAIT
// expect: sc,rc11=SAFE
//
// run: --check linearizable,termination --setup init --parallel put(1);put(2),take(?),take(?) -DSTORE -DWAIT
// expect: sc,rc11=UNSAFE

#include <stdatomic.h>
#include <stdbool.h>

#define PLACES 2

#ifdef RELAXED
#define RELEASE memory_order_relaxed
#else
#define RELEASE memory_order_release
#endif

struct place {
  atomic_uint turn;
  int value;
};

struct place ring[PLACES];
atomic_uint head, tail;

void init(void) {
  for (unsigned i = 0; i < PLACES; i++)
    atomic_store_explicit(&ring[i].turn, i, memory_order_relaxed);
}

// Claims the next place that has reached its turn.
static bool claim(atomic_uint *next, unsigned lead, unsigned *claimed) {
  unsigned at = atomic_load_explicit(next, memory_order_relaxed);
  for (;;) {
    unsigned turn = atomic_load_explicit(&ring[at % PLACES].turn, memory_order_acquire);
    int ahead = (int)(turn - (at + lead));
    if (ahead == 0) {
#ifdef STORE
      atomic_store_explicit(next, at + 1, memory_order_relaxed);
      break;
#else
      if (atomic_compare_exchange_strong_explicit(next, &at, at + 1, memory_order_relaxed,
                                                  memory_order_relaxed))
        break;
#endif
    } else if (ahead > 0)
      at = atomic_load_explicit(next, memory_order_relaxed);
#ifndef WAIT
    else
      return false;
#endif
  }
  *claimed = at;
  return true;
}

// Fails if the ring is full.
bool put(int value) {
  unsigned at;
  if (!claim(&tail, 0, &at))
    return false;
  struct place *place = &ring[at % PLACES];
#ifdef EARLY
  atomic_store_explicit(&place->turn, at + 1, RELEASE);
  place->value = value;
#else
  place->value = value;
  atomic_store_explicit(&place->turn, at + 1, RELEASE);
#endif
  return true;
}

// Fails if the ring is empty.
bool take(int *value) {
  unsigned at;
  if (!claim(&head, 1, &at))
    return false;
  struct place *place = &ring[at % PLACES];
  *value = place->value;
  atomic_store_explicit(&place->turn, at + PLACES, RELEASE);
  return true;
}
