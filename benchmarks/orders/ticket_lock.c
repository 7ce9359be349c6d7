// A ticket lock. Every order is seq_cst.

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

int shared;
atomic_uint next, serving;

void lock(void) {
  unsigned mine = atomic_fetch_add(&next, 1);
  while (atomic_load(&serving) != mine)
    ;
}

void unlock(void) {
  atomic_store(&serving, atomic_load(&serving) + 1);
}

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
