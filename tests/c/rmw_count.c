// Two increments: atomic ones add up, plain ones may be lost on every model.
//
// run: -DATOMIC
// expect: all=SAFE
//
// run: -DCAS
// expect: all=SAFE
//
// run: -DGROUP
// expect: all=SAFE
//
// run: -DMUTEX
// expect: all=SAFE
//
// run: -DPLAIN
// expect: all=UNSAFE

#include "fences.h"
#include <assert.h>
#include <pthread.h>

extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);

#if defined(ATOMIC) || defined(CAS)
atomic_int x;
#else
int x;
#endif
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static void increment(void) {
#if defined(ATOMIC)
  atomic_fetch_add_explicit(&x, 1, memory_order_relaxed);
#elif defined(CAS)
  int seen = 0;
  if (!atomic_compare_exchange_strong_explicit(&x, &seen, 1, memory_order_relaxed, memory_order_relaxed)) {
    atomic_compare_exchange_strong_explicit(&x, &seen, seen + 1, memory_order_relaxed, memory_order_relaxed);
  }
#elif defined(GROUP)
  __VERIFIER_atomic_begin();
  x = x + 1;
  __VERIFIER_atomic_end();
#elif defined(MUTEX)
  pthread_mutex_lock(&m);
  x = x + 1;
  pthread_mutex_unlock(&m);
#else
  x = x + 1;
#endif
}

void *thread0(void *arg) {
  increment();
  return 0;
}

void *thread1(void *arg) {
  increment();
  return 0;
}

int main(void) {
  pthread_t t0, t1;
  pthread_create(&t0, 0, thread0, 0);
  pthread_create(&t1, 0, thread1, 0);
  pthread_join(t0, 0);
  pthread_join(t1, 0);
  int v = x;
  assert(v == 2);
  return 0;
}
