// A relaxed flag is set late, but it is set: it becomes visible at some time. -DNEVER sets it only where an
// input says so.
//
// run: --check termination
// expect: all=SAFE
//
// run: --check termination -DNEVER
// expect: all=UNSAFE

#include <pthread.h>
#include <stdatomic.h>

extern int __VERIFIER_nondet_int(void);
atomic_int flag, other;

void *setter(void *arg) {
  atomic_store_explicit(&other, 1, memory_order_relaxed);
#ifdef NEVER
  if (__VERIFIER_nondet_int())
    return 0;
#endif
  atomic_store_explicit(&flag, 1, memory_order_relaxed);
  return 0;
}

void *waiter(void *arg) {
  while (!atomic_load_explicit(&flag, memory_order_relaxed)) {
  }
  return 0;
}

int main(void) {
  pthread_t t[2];
  pthread_create(&t[0], 0, setter, 0);
  pthread_create(&t[1], 0, waiter, 0);
  pthread_join(t[0], 0);
  pthread_join(t[1], 0);
  return 0;
}
