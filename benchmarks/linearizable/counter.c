// A counter. -DLOST adds in two steps. -DSUM has a counter for each thread, and a reader adds them up (Rinberg and
// Keidar, Intermediate Value Linearizability, DISC 2020): on sequential consistency that is what the counter was
// at some moment while all add 1. If not, it is only some value between what the counter was before and what it
// was afterwards. That is quiescently consistent (Aspnes, Herlihy and Shavit, Counting Networks, JACM 1994) of one
// reader, but not of two.
//
// run: --linearizable --parallel add(0,1),get;add(1,2),get
// expect: sc,rc11=SAFE
//
// run: --linearizable --parallel add(0,1),get;add(1,2),get;get,get
// expect: sc,rc11=SAFE
//
// run: --linearizable --parallel add(0,1);add(1,1),get -DLOST
// expect: sc,rc11=UNSAFE
//
// run: --linearizable --parallel add(0,1),get;add(1,1),get -DSUM
// expect: sc,tso=SAFE rc11=UNSAFE
//
// run: --linearizable --parallel add(0,1);add(1,2);get -DSUM
// expect: sc,rc11=UNSAFE
//
// run: --check quiescent --parallel add(0,1);add(1,2);get -DSUM
// expect: sc,rc11=SAFE
//
// run: --check quiescent --parallel add(0,1);add(1,2);get;get -DSUM
// expect: sc,rc11=UNSAFE

#include <stdatomic.h>

#define THREADS 2

#ifdef SUM
#define OWN(thread) &counts[thread]
#else
#define OWN(thread) &counts[0]
#endif

atomic_int counts[THREADS];

void add(int thread, int n) {
#ifdef LOST
  int old = atomic_load_explicit(OWN(thread), memory_order_relaxed);
  atomic_store_explicit(OWN(thread), old + n, memory_order_relaxed);
#else
  atomic_fetch_add_explicit(OWN(thread), n, memory_order_relaxed);
#endif
}

int get(void) {
  int sum = 0;
  for (int i = 0; i < THREADS; i++)
    sum += atomic_load_explicit(&counts[i], memory_order_relaxed);
  return sum;
}
