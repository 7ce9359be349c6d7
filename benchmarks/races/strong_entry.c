// Two threads raise a flag and enter when the other's is down. Relaxed flags with seq_cst fences
// between store and read let at most one in, on every machine.
//
// run: --check race
// expect: all=SAFE

#include <pthread.h>
#include <stdatomic.h>

atomic_int first, second;
int shared;

void *other(void *arg) {
  atomic_store_explicit(&second, 1, memory_order_relaxed);
  atomic_thread_fence(memory_order_seq_cst);
  if (!atomic_load_explicit(&first, memory_order_relaxed)) {
    shared = 2;
  }
  return 0;
}

int main(void) {
  pthread_t t;
  pthread_create(&t, 0, other, 0);
  atomic_store_explicit(&first, 1, memory_order_relaxed);
  atomic_thread_fence(memory_order_seq_cst);
  if (!atomic_load_explicit(&second, memory_order_relaxed)) {
    shared = 1;
  }
  pthread_join(t, 0);
  return 0;
}
