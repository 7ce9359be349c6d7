// A spin lock by exchange. -DBROKEN takes it without order, so that on Power the section leaks out.
//
// run: --check assert,memory,race
// expect: sc,tso,power,aarch64,riscv,rc11=SAFE
//
// run: -DBROKEN
// expect: sc,tso=SAFE power,aarch64,riscv,rc11=UNSAFE

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

atomic_int word;

void lock(void) {
#ifdef BROKEN
  while (atomic_exchange_explicit(&word, 1, memory_order_relaxed))
    ;
#else
  while (atomic_exchange_explicit(&word, 1, memory_order_acquire))
    ;
#endif
}

void unlock(void) {
  
#ifdef BROKEN
  atomic_store_explicit(&word, 0, memory_order_relaxed);
#else
  atomic_store_explicit(&word, 0, memory_order_release);
#endif
}

int shared;

void *worker(void *arg) {
  lock();
  shared++;
  unlock();
  return 0;
}

int main(void) {
  pthread_t t;
  pthread_create(&t, 0, worker, 0);
  worker(0);
  pthread_join(t, 0);
  assert(shared == 2);
  return 0;
}
