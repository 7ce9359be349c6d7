// Main takes a spin lock in the loop that starts threads: before the first one nobody can tell, and none of it is
// an event, later it is one.
//
// run: --check race --unwind 3
// expect: all=UNSAFE

#include <pthread.h>
#include <stdatomic.h>

extern int __VERIFIER_nondet_int(void);

int n, shared;
atomic_int spin;

void *worker(void *arg) {
  (void)arg;
  shared++;
  return 0;
}

int main(void) {
  n = __VERIFIER_nondet_int();
  if (n < 0 || n > 2) return 0;
  pthread_t t[2];
  for (int i = 0; i < n; i++) {
    int free = 0;
    if (atomic_compare_exchange_strong(&spin, &free, 1)) atomic_store_explicit(&spin, 0, memory_order_relaxed);
    pthread_create(&t[i], 0, worker, 0);
  }
  for (int i = 0; i < n; i++) pthread_join(t[i], 0);
  return 0;
}
