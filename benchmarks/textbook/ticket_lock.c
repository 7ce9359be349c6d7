// A ticket lock: draw a number, wait until it is called. -DBROKEN draws it in two steps.
//
// run: --check assert,memory,race
// expect: sc,tso,power,aarch64,riscv,rc11=SAFE
//
// run: -DBROKEN
// expect: sc,tso,power,aarch64,riscv,rc11=UNSAFE

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

atomic_uint next, serving;

void lock(void) {
#ifdef BROKEN
  unsigned mine = next;
  next = mine + 1;
  while (serving != mine)
    ;
#else
  unsigned mine = atomic_fetch_add_explicit(&next, 1, memory_order_relaxed);
  while (atomic_load_explicit(&serving, memory_order_acquire) != mine)
    ;
#endif
}

void unlock(void) {
  unsigned now = atomic_load_explicit(&serving, memory_order_relaxed);
  atomic_store_explicit(&serving, now + 1, memory_order_release);
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
