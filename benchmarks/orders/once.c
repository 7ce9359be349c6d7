// A function that runs once, and that all wait for. Every order is seq_cst.

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

int object;
atomic_int state;

void once(void) {
  int expected = 0;
  if (atomic_compare_exchange_strong(&state, &expected, 1)) {
    object = 1;
    atomic_store(&state, 2);
  } else
    while (atomic_load(&state) != 2)
      ;
}

void *first(void *arg) {
  once();
  assert(object == 1);
  return 0;
}

void *second(void *arg) {
  once();
  assert(object == 1);
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
