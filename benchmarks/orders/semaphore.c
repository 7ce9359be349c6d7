// A semaphore that is waited for by spinning. Every order is seq_cst.

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

int shared;
atomic_int permits = 1;

void lock(void) {
  for (;;) {
    int now = atomic_load(&permits);
    if (now > 0 && atomic_compare_exchange_strong(&permits, &now, now - 1))
      return;
  }
}

void unlock(void) { atomic_fetch_add(&permits, 1); }

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
