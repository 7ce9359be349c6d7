// A spin lock by compare-exchange. -DBROKEN goes on whether it succeeded or not.
//
// run: --check assert,memory,race
// expect: sc,tso,power,aarch64,riscv,rc11=SAFE
//
// run: -DBROKEN
// expect: sc,tso,power,aarch64,riscv,rc11=UNSAFE

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

atomic_int word;

void lock(void) {
#ifdef BROKEN
  int free = 0;
  atomic_compare_exchange_strong(&word, &free, 1);
#else
  int free;
  do
    free = 0;
  while (!atomic_compare_exchange_strong_explicit(&word, &free, 1, memory_order_acquire,
                                                  memory_order_relaxed));
#endif
}

void unlock(void) {
  atomic_store_explicit(&word, 0, memory_order_release);
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
