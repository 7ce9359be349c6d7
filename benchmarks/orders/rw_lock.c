// A lock for readers or a writer, as a number. Every order is seq_cst.

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

int a, b;
atomic_int state;

void *first(void *arg) {
  while (1) {
    int expected = 0;
    if (atomic_compare_exchange_strong(&state, &expected, -1))
      break;
  }
  a = 1;
  b = 1;
  atomic_store(&state, 0);
  return 0;
}

void *second(void *arg) {
  int readers = atomic_load(&state);
  if (readers >= 0 && atomic_compare_exchange_strong(&state, &readers, readers + 1)) {
    assert(a == b);
    atomic_fetch_sub(&state, 1);
  }
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
