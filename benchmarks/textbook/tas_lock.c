// The plainest spin lock: test-and-set until it was clear. -DBROKEN tests and sets in two steps.
//
// run: --check assert,memory,race
// expect: sc,tso,power,aarch64,riscv,rc11=SAFE
//
// run: -DBROKEN
// expect: sc,tso,power,aarch64,riscv,rc11=UNSAFE

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

atomic_flag word = ATOMIC_FLAG_INIT;
atomic_int naive;

void lock(void) {
#ifdef BROKEN
  while (naive)
    ;
  naive = 1;
#else
  while (atomic_flag_test_and_set_explicit(&word, memory_order_acquire))
    ;
#endif
}

void unlock(void) {
  atomic_flag_clear_explicit(&word, memory_order_release);
  naive = 0;
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
