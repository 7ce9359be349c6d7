// A compare-and-swap spin lock.
//
// run: -DACQ=relaxed -DREL=relaxed --unwind 3
// expect: sc,tso=HOLDS pso,rmo,alpha,power2010,power=UNSAFE
//
// run: -DACQ=acquire -DREL=release --unwind 3
// expect: sc,tso,pso,rmo,alpha,power=HOLDS power2010=UNSAFE
//
// run: -DACQ=seq_cst -DREL=seq_cst --unwind 3
// expect: all=HOLDS

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifndef ACQ
#define ACQ acquire
#endif
#ifndef REL
#define REL release
#endif
#define ORDER_(o) memory_order_##o
#define ORDER(o) ORDER_(o)

atomic_int held;
int count;

static void lock(void) {
  int expected = 0;
  while (!atomic_compare_exchange_strong_explicit(&held, &expected, 1, ORDER(ACQ), memory_order_relaxed)) {
    expected = 0;
  }
}

static void unlock(void) {
  atomic_store_explicit(&held, 0, ORDER(REL));
}

void *worker(void *arg) {
  lock();
  int seen = count;
  count = seen + 1;
  unlock();
  return 0;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, worker, 0);
  pthread_create(&b, 0, worker, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  assert(count == 2);
  return 0;
}
