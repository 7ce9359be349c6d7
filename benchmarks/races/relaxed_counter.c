// Relaxed atomics never race with each other, and a join orders what comes behind it.
//
// run: --check race --unwind 3
// expect: all=SAFE

#include <pthread.h>
#include <stdatomic.h>

#define THREADS 3

atomic_int hits;
int result[THREADS];

void *worker(void *arg) {
  int me = *(int *)arg;
  result[me] = atomic_fetch_add_explicit(&hits, 1, memory_order_relaxed);
  if (atomic_load_explicit(&hits, memory_order_relaxed) > THREADS) {
    atomic_store_explicit(&hits, 0, memory_order_relaxed);
  }
  return 0;
}

int main(void) {
  pthread_t t[THREADS];
  int id[THREADS], sum = 0;
  for (int i = 0; i < THREADS; i++) {
    id[i] = i;
    pthread_create(&t[i], 0, worker, &id[i]);
  }
  for (int i = 0; i < THREADS; i++) {
    pthread_join(t[i], 0);
    sum += result[i];
  }
  return sum;
}
