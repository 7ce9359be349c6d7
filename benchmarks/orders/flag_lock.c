// A lock by an atomic flag. Every order is seq_cst.

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

int shared;
atomic_flag taken = ATOMIC_FLAG_INIT;

void lock(void) {
  while (atomic_flag_test_and_set(&taken))
    ;
}

void unlock(void) { atomic_flag_clear(&taken); }

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
