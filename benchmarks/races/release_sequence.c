// A read-modify-write carries a release sequence on, even a relaxed one of another thread.
//
// run: --check race
// expect: all=SAFE

#include <pthread.h>
#include <stdatomic.h>

int message;
atomic_int flag;

void *sender(void *arg) {
  message = 42;
  atomic_store_explicit(&flag, 1, memory_order_release);
  return 0;
}

void *bystander(void *arg) {
  atomic_fetch_add_explicit(&flag, 2, memory_order_relaxed);
  return 0;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, sender, 0);
  pthread_create(&b, 0, bystander, 0);
  int seen = 0;
  if (atomic_load_explicit(&flag, memory_order_acquire) == 3) {
    seen = message;
  }
  pthread_join(a, 0);
  pthread_join(b, 0);
  return seen;
}
