// What GenMC's header has: threads, and marks of accesses and loops.
//
// run: --check assert,memory,race
// expect: sc,tso,power,rc11=SAFE
//
// run: -DBROKEN
// expect: sc,tso,power,rc11=UNSAFE
#include <assert.h>
#include <genmc.h>
#include <stdatomic.h>

atomic_int taken;
int shared;

static void lock(void) {
#ifndef BROKEN
  for (;;) {
    __VERIFIER_optional(while (atomic_load_explicit(&taken, memory_order_relaxed)));
    int free = 0;
    if (__VERIFIER_confirming_CAS(atomic_compare_exchange_strong_explicit(
            &taken, &free, 1, memory_order_acquire, memory_order_relaxed)))
      return;
  }
#endif
}

static void *worker(void *unused) {
  lock();
  __VERIFIER_local_write(shared = shared + 1);
  __VERIFIER_final_write(atomic_store_explicit(&taken, 0, memory_order_release));
  return unused;
}

int main(void) {
  __VERIFIER_thread_t first = __VERIFIER_spawn(worker, 0);
  __VERIFIER_thread_t second = __VERIFIER_spawn_symmetric(worker, 0, first);
  __VERIFIER_join(first);
  __VERIFIER_join_symmetric(second);
  assert(shared == 2);
}
