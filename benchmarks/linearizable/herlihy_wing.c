// The queue of Herlihy and Wing (TOPLAS 1990): a put takes the next place and fills it, a take empties the first
// place that is filled. A take waits for a value. -DONCE returns 0 when it has looked at all places once, although
// there may always have been a value. -DRELAXED does not order what a take looks at.
//
// run: --linearizable --parallel put(1),take;put(2),take
// expect: sc,rc11=SAFE
//
// run: --linearizable --parallel put(1),put(2);put(3);take,take,take
// expect: sc,rc11=SAFE
//
// run: --linearizable --setup put(1) --parallel put(2),take;take -DONCE
// expect: sc,rc11=UNSAFE
//
// run: --linearizable --parallel put(1),put(2);take -DRELAXED
// expect: sc=SAFE rc11=UNSAFE

#include <stdatomic.h>

#define PLACES 4

#ifdef RELAXED
#define ORDER memory_order_relaxed
#else
#define ORDER memory_order_seq_cst
#endif

atomic_int items[PLACES];
atomic_int back;

void put(int value) {
  int at = atomic_fetch_add_explicit(&back, 1, ORDER);
  atomic_store_explicit(&items[at], value, ORDER);
}

int take(void) {
#ifndef ONCE
  for (;;)
#endif
  {
    int range = atomic_load_explicit(&back, ORDER);
    for (int i = 0; i < range; i++) {
      int value = atomic_exchange_explicit(&items[i], 0, ORDER);
      if (value)
        return value;
    }
  }
#ifdef ONCE
  return 0;
#endif
}
