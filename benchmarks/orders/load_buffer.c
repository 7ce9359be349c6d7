// Two threads that must not both see what the other one writes later. Every order is seq_cst.

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

atomic_int x, y;
int a, b;

void *first(void *arg) {
  a = atomic_load(&x);
  atomic_store(&y, 1);
  return 0;
}

void *second(void *arg) {
  b = atomic_load(&y);
  atomic_store(&x, 1);
  return 0;
}

int main(void) {
  pthread_t t, u;
  pthread_create(&t, 0, first, 0);
  pthread_create(&u, 0, second, 0);
  pthread_join(t, 0);
  pthread_join(u, 0);
  assert(!a || !b);
  return 0;
}
