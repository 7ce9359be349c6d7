// The queue lock of Craig, Landin and Hagersten. -DKEEPS does not give it back.
//
// run: --check termination
// expect: all=SAFE
//
// run: --check termination -DKEEPS
// expect: all=UNSAFE

#include <pthread.h>
#include <stdatomic.h>

atomic_int nodes[3];
_Atomic(atomic_int *) tail = &nodes[2];

static void section(atomic_int *me) {
  atomic_store_explicit(me, 1, memory_order_relaxed);
  atomic_int *before = atomic_exchange_explicit(&tail, me, memory_order_acq_rel);
  while (atomic_load_explicit(before, memory_order_acquire)) {
  }
#ifndef KEEPS
  atomic_store_explicit(me, 0, memory_order_release);
#endif
}

void *first(void *arg) {
  section(&nodes[0]);
  return 0;
}

void *second(void *arg) {
  section(&nodes[1]);
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
