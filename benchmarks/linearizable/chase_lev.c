// The deque of Chase and Lev (SPAA 2005) with the fences of Le, Pop, Cohen and Zappa Nardelli (PPoPP 2013): its
// owner pushes and takes at the bottom, others steal at the top. A steal that loses a race tries again. -DNO_FENCE
// lets the owner read the top before others see that it takes. -DNO_CAS takes the last element although a thief
// may do so, too.
//
// run: --linearizable --parallel push(1),push(2),take;steal
// expect: sc,rc11=SAFE
//
// run: --linearizable --parallel push(1),push(2),push(3),take,take;steal,steal;steal
// expect: sc,rc11=SAFE
//
// run: --linearizable --setup push(1),push(2) --parallel take,take;steal,steal -DNO_FENCE
// expect: sc=SAFE tso,rc11=UNSAFE
//
// run: --linearizable --setup push(1) --parallel take;steal -DNO_CAS
// expect: sc,rc11=UNSAFE

#include <stdatomic.h>
#include <stdbool.h>

#define PLACES 4

atomic_int deque[PLACES];
atomic_int top, bottom;

// The deque is not full.
void push(int value) {
  int b = atomic_load_explicit(&bottom, memory_order_relaxed);
  atomic_store_explicit(&deque[b % PLACES], value, memory_order_relaxed);
  atomic_thread_fence(memory_order_release);
  atomic_store_explicit(&bottom, b + 1, memory_order_relaxed);
}

// 0 if the deque is empty.
int take(void) {
  int b = atomic_load_explicit(&bottom, memory_order_relaxed) - 1;
  atomic_store_explicit(&bottom, b, memory_order_relaxed);
#ifndef NO_FENCE
  atomic_thread_fence(memory_order_seq_cst);
#endif
  int t = atomic_load_explicit(&top, memory_order_relaxed);
  if (t < b)
    return atomic_load_explicit(&deque[b % PLACES], memory_order_relaxed);
  int value = 0;
  if (t == b) {
    value = atomic_load_explicit(&deque[b % PLACES], memory_order_relaxed);
#ifdef NO_CAS
    atomic_store_explicit(&top, t + 1, memory_order_relaxed);
#else
    if (!atomic_compare_exchange_strong_explicit(&top, &t, t + 1, memory_order_seq_cst,
                                                 memory_order_relaxed))
      value = 0;
#endif
  }
  atomic_store_explicit(&bottom, b + 1, memory_order_relaxed);
  return value;
}

// 0 if the deque is empty.
int steal(void) {
  for (;;) {
    int t = atomic_load_explicit(&top, memory_order_acquire);
    atomic_thread_fence(memory_order_seq_cst);
    int b = atomic_load_explicit(&bottom, memory_order_acquire);
    if (t >= b)
      return 0;
    int value = atomic_load_explicit(&deque[t % PLACES], memory_order_relaxed);
    if (atomic_compare_exchange_strong_explicit(&top, &t, t + 1, memory_order_seq_cst,
                                                memory_order_relaxed))
      return value;
  }
}
