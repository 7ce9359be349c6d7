// Two threads that must not both miss what the other one has written. Every order is seq_cst.

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

atomic_int x, y;
int a, b;

void *first(void *arg) {
  atomic_store(&x, 1);
  a = atomic_load(&y);
  return 0;
}

void *second(void *arg) {
  atomic_store(&y, 1);
  b = atomic_load(&x);
  return 0;
}

int main(void) {
  pthread_t t, u;
  pthread_create(&t, 0, first, 0);
  pthread_create(&u, 0, second, 0);
  pthread_join(t, 0);
  pthread_join(u, 0);
  assert(a || b);
  return 0;
}
