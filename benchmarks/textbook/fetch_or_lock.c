// A spin lock by fetch-or of one bit of a word. -DBROKEN tests another bit.
//
// run: --check assert,memory,race
// expect: sc,tso,power,aarch64,riscv,rc11=SAFE
//
// run: -DBROKEN
// expect: sc,tso,power,aarch64,riscv,rc11=UNSAFE

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

atomic_uint word;

void lock(void) {
#ifdef BROKEN
  while (atomic_fetch_or_explicit(&word, 1, memory_order_acquire) & 2)
    ;
#else
  while (atomic_fetch_or_explicit(&word, 1, memory_order_acquire) & 1)
    ;
#endif
}

void unlock(void) {
  atomic_fetch_and_explicit(&word, ~1u, memory_order_release);
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
