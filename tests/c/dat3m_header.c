// What Dartagnan's header has: a wait, and arbitrary values.
//
// run: --check assert,memory,race
// expect: sc,tso,power,rc11=SAFE
//
// run: -DBROKEN --check assert
// expect: sc,tso,power,rc11=UNSAFE
#include <assert.h>
#include <dat3m.h>
#include <pthread.h>
#include <stdatomic.h>

atomic_int ready;
int value;

static void *writer(void *unused) {
  value = 1;
  atomic_store_explicit(&ready, 1, memory_order_release);
  return unused;
}

int main(void) {
  pthread_t t;
  pthread_create(&t, 0, writer, 0);
#ifndef BROKEN
  await_while (!atomic_load_explicit(&ready, memory_order_acquire));
#endif
  __VERIFIER_assert(value == 1);
  pthread_join(t, 0);
}
