// Each thread raises its flag and waits for the other one's, all relaxed: that ends on every model. With -DTAKES_BACK a
// thread lowers its flag again, and the other one may have missed it.
//
// run: --check termination
// expect: all=SAFE
//
// run: --check termination -DTAKES_BACK
// expect: all=UNSAFE

#include <pthread.h>
#include <stdatomic.h>

atomic_int a, b;

void *first(void *arg) {
  atomic_store_explicit(&a, 1, memory_order_relaxed);
  while (!atomic_load_explicit(&b, memory_order_relaxed)) {
  }
#ifdef TAKES_BACK
  atomic_store_explicit(&a, 0, memory_order_relaxed);
#endif
  return 0;
}

void *second(void *arg) {
  atomic_store_explicit(&b, 1, memory_order_relaxed);
  while (!atomic_load_explicit(&a, memory_order_relaxed)) {
  }
  return 0;
}

int main(void) {
  pthread_t t[2];
  pthread_create(&t[0], 0, first, 0);
  pthread_create(&t[1], 0, second, 0);
  pthread_join(t[0], 0);
  pthread_join(t[1], 0);
  return 0;
}
