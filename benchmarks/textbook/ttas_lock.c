// Test and test-and-set: after a failed exchange the lock is looked at until it is free. -DBROKEN
// believes the look.
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
  while (word)
    ;
  atomic_exchange(&word, 1);
#else
  while (atomic_exchange(&word, 1))
    while (word)
      ;
#endif
}

void unlock(void) {
  word = 0;
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
