// An access in a round of a loop that changes nothing races with what comes only after the loop.
//
// run: --check race
// expect: all=UNSAFE
//
// run: --check race -DORDERED
// expect: all=SAFE

#include <pthread.h>
#include <stdatomic.h>

#ifdef ORDERED
#define LOAD memory_order_acquire
#define STORE memory_order_release
#else
#define LOAD memory_order_relaxed
#define STORE memory_order_relaxed
#endif

atomic_int flag, left;
int data;

void *other(void *arg) {
  atomic_store_explicit(&flag, 1, STORE);
  if (atomic_load_explicit(&left, LOAD)) data = 1;
  return 0;
}

int main(void) {
  pthread_t t;
  pthread_create(&t, 0, other, 0);
  while (!atomic_load_explicit(&flag, LOAD)) {
    int seen = data;
    (void)seen;
  }
  atomic_store_explicit(&left, 1, STORE);
  return 0;
}
