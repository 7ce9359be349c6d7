// A counter that six threads increment by weak compare-exchange, each with the value that the failed one has
// returned. -DBROKEN stores without looking again.
//
// run:
// expect: sc,tso,power,aarch64,riscv,rc11=SAFE
//
// run: -DBROKEN -DN=2
// expect: sc,tso,power,aarch64,riscv,rc11=UNSAFE

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifndef N
#define N 6
#endif

atomic_int counter;

void *increment(void *arg) {
  int old = atomic_load_explicit(&counter, memory_order_relaxed);
#ifdef BROKEN
  atomic_store_explicit(&counter, old + 1, memory_order_relaxed);
#else
  while (!atomic_compare_exchange_weak_explicit(&counter, &old, old + 1, memory_order_relaxed,
                                                memory_order_relaxed))
    ;
#endif
  return 0;
}

int main(void) {
  pthread_t t[N];
  for (int i = 0; i < N; i++)
    pthread_create(&t[i], 0, increment, 0);
  for (int i = 0; i < N; i++)
    pthread_join(t[i], 0);
  assert(counter == N);
  return 0;
}
