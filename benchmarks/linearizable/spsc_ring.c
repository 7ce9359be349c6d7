// A ring buffer for one producer and one consumer (Lamport, Specifying Concurrent Program Modules, TOPLAS 1983).
// Each reads the index of the other one by sequentially consistent accesses. With release and acquire alone
// (-DRELEASED), as is usual, values are passed on correctly, but a put may find the ring full and a take find it
// empty where one of them is wrong. -DEARLY publishes a place before it is filled. -DOFF_BY_ONE finds the ring
// full one put too late: then calls one after the other overwrite a value, too; but what they return at once is
// not even that.
//
// run: --linearizable --parallel put(1),put(2);take(?),take(?)
// expect: sc,rc11=SAFE
//
// run: --linearizable --parallel put(1),put(2),put(3);take(?),take(?),take(?)
// expect: sc,rc11=SAFE
//
// run: --linearizable --parallel put(1),put(2),put(3);take(?),take(?) -DRELEASED
// expect: sc=SAFE tso,rc11=UNSAFE
//
// run: --linearizable --parallel put(1);take(?) -DEARLY
// expect: sc,rc11=UNSAFE
//
// run: --linearizable --setup put(1),put(2) --parallel put(3);take(?),take(?),take(?) -DOFF_BY_ONE
// expect: sc,rc11=UNSAFE

#include <stdatomic.h>
#include <stdbool.h>

#define PLACES 2

#ifdef RELEASED
#define ACQUIRE memory_order_acquire
#define RELEASE memory_order_release
#else
#define ACQUIRE memory_order_seq_cst
#define RELEASE memory_order_seq_cst
#endif

#ifdef OFF_BY_ONE
#define FULL (PLACES + 1)
#else
#define FULL PLACES
#endif

int ring[PLACES];
atomic_uint head, tail;

// Fails if the ring is full.
bool put(int value) {
  unsigned at = atomic_load_explicit(&tail, memory_order_relaxed);
  if (at - atomic_load_explicit(&head, ACQUIRE) == FULL)
    return false;
#ifdef EARLY
  atomic_store_explicit(&tail, at + 1, RELEASE);
  ring[at % PLACES] = value;
#else
  ring[at % PLACES] = value;
  atomic_store_explicit(&tail, at + 1, RELEASE);
#endif
  return true;
}

// Fails if the ring is empty.
bool take(int *value) {
  unsigned at = atomic_load_explicit(&head, memory_order_relaxed);
  if (at == atomic_load_explicit(&tail, ACQUIRE))
    return false;
  *value = ring[at % PLACES];
  atomic_store_explicit(&head, at + 1, RELEASE);
  return true;
}
