// Two threads raise a flag and enter when the other's is down. The flags are atomic but relaxed: on
// a machine that interleaves one of them stays out; from TSO on both enter, and race.
//
// run: --check race
// expect: sc=SAFE tso,pso,rmo,alpha,power2010,power=UNSAFE

#include <pthread.h>
#include <stdatomic.h>

atomic_int first, second;
int shared;

void *other(void *arg) {
  atomic_store_explicit(&second, 1, memory_order_relaxed);
  if (!atomic_load_explicit(&first, memory_order_relaxed)) {
    shared = 2;
  }
  return 0;
}

int main(void) {
  pthread_t t;
  pthread_create(&t, 0, other, 0);
  atomic_store_explicit(&first, 1, memory_order_relaxed);
  if (!atomic_load_explicit(&second, memory_order_relaxed)) {
    shared = 1;
  }
  pthread_join(t, 0);
  return 0;
}
