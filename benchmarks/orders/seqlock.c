// A sequence lock with one attempt to read. Every order is seq_cst.

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

atomic_int sequence, a, b;

void *first(void *arg) {
  atomic_store(&sequence, 1);
  atomic_store(&a, 1);
  atomic_store(&b, 1);
  atomic_store(&sequence, 2);
  return 0;
}

void *second(void *arg) {
  int before = atomic_load(&sequence);
  int x = atomic_load(&a);
  int y = atomic_load(&b);
  if (!(before & 1) && atomic_load(&sequence) == before)
    assert(x == y);
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
