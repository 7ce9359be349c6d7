// A message and its flag, ordered by fences alone. Fences are seq_cst.

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

int data;
atomic_int flag;

void *first(void *arg) {
  data = 1;
  atomic_thread_fence(memory_order_seq_cst);
  atomic_store_explicit(&flag, 1, memory_order_relaxed);
  return 0;
}

void *second(void *arg) {
  int seen = atomic_load_explicit(&flag, memory_order_relaxed);
  atomic_thread_fence(memory_order_seq_cst);
  if (seen)
    assert(data == 1);
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
