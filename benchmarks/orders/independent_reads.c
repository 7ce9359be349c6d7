// Two readers that must agree on which of two independent writes came first. Every order is seq_cst.

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

atomic_int x, y;
int a, b, c, d;

void *write_x(void *arg) {
  atomic_store(&x, 1);
  return 0;
}

void *write_y(void *arg) {
  atomic_store(&y, 1);
  return 0;
}

void *reader(void *arg) {
  a = atomic_load(&x);
  b = atomic_load(&y);
  return 0;
}

int main(void) {
  pthread_t t, u, v;
  pthread_create(&t, 0, write_x, 0);
  pthread_create(&u, 0, write_y, 0);
  pthread_create(&v, 0, reader, 0);
  c = atomic_load(&y);
  d = atomic_load(&x);
  pthread_join(v, 0);
  assert(!(a && !b && c && !d));
  return 0;
}
