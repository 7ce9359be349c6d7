// A counter that is read when all have counted. Every order is seq_cst.

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

atomic_int count;

void *first(void *arg) {
  atomic_fetch_add(&count, 1);
  return 0;
}

void *second(void *arg) {
  atomic_fetch_add(&count, 1);
  return 0;
}

int main(void) {
  pthread_t t, u;
  pthread_create(&t, 0, first, 0);
  pthread_create(&u, 0, second, 0);
  pthread_join(t, 0);
  pthread_join(u, 0);
  assert(atomic_load(&count) == 2);
  return 0;
}
