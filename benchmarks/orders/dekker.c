// Dekker's entry, tried once. Every order is seq_cst.

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

int shared;
atomic_int x, y;

void *first(void *arg) {
  atomic_store(&x, 1);
  if (!atomic_load(&y))
    shared++;
  return 0;
}

void *second(void *arg) {
  atomic_store(&y, 1);
  if (!atomic_load(&x))
    shared++;
  return 0;
}

int main(void) {
  pthread_t t, u;
  pthread_create(&t, 0, first, 0);
  pthread_create(&u, 0, second, 0);
  pthread_join(t, 0);
  pthread_join(u, 0);
  assert(shared <= 1);
  return 0;
}
