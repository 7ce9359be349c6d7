// A read-modify-write against a plain store: the store never falls between its halves.
//
// run: -DFINAL
// expect: all=SAFE
//
// run: -DOLD
// expect: all=SAFE
//
// run: -DREACH
// expect: all=UNSAFE

#include "fences.h"
#include <assert.h>
#include <pthread.h>

atomic_int x;
int r1;

void *thread0(void *arg) {
  int a = atomic_fetch_add_explicit(&x, 1, memory_order_relaxed);
  r1 = a;
  return 0;
}

void *thread1(void *arg) {
  atomic_store_explicit(&x, 10, memory_order_relaxed);
  return 0;
}

int main(void) {
  pthread_t t0, t1;
  pthread_create(&t0, 0, thread0, 0);
  pthread_create(&t1, 0, thread1, 0);
  pthread_join(t0, 0);
  pthread_join(t1, 0);
  int v = atomic_load(&x);
#if defined(FINAL)
  assert(v == 10 || v == 11);
#elif defined(OLD)
  assert(!(r1 == 10 && v == 10));
#else
  assert(v != 11);
#endif
  return 0;
}
