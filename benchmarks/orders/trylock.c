// A lock that is tried once. Every order is seq_cst.

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

int shared;
atomic_int taken;

void work(void) {
  if (!atomic_exchange(&taken, 1)) {
    shared++;
    assert(shared == 1);
    shared--;
    atomic_store(&taken, 0);
  }
}

void *first(void *arg) {
  work();
  return 0;
}

void *second(void *arg) {
  work();
  return 0;
}

int main(void) {
  pthread_t t, u;
  pthread_create(&t, 0, first, 0);
  pthread_create(&u, 0, second, 0);
  pthread_join(t, 0);
  pthread_join(u, 0);
  return 0;
}
