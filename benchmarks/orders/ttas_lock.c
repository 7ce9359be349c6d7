// A lock that is looked at before it is tried. Every order is seq_cst.

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

int shared;
atomic_int taken;

void lock(void) {
  do {
    while (atomic_load(&taken))
      ;
  } while (atomic_exchange(&taken, 1));
}

void unlock(void) { atomic_store(&taken, 0); }

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
