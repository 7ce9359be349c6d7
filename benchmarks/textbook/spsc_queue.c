// A queue for one producer and one consumer, without locks. -DBROKEN shows the place before it is
// filled.
//
// run: --check assert,memory,race
// expect: sc,tso,power,aarch64,riscv,rc11=SAFE
//
// run: -DBROKEN
// expect: sc,tso,power,aarch64,riscv,rc11=UNSAFE

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#define PLACES 2
#define ITEMS 3

int ring[PLACES];
atomic_uint head, tail;

void *producer(void *arg) {
  for (unsigned i = 0; i < ITEMS; i++) {
    while (i - atomic_load_explicit(&head, memory_order_acquire) == PLACES)
      ;
#ifdef BROKEN
    atomic_store_explicit(&tail, i + 1, memory_order_release);
    ring[i % PLACES] = (int)i + 1;
#else
    ring[i % PLACES] = (int)i + 1;
    atomic_store_explicit(&tail, i + 1, memory_order_release);
#endif
  }
  return 0;
}

int main(void) {
  pthread_t t;
  pthread_create(&t, 0, producer, 0);
  for (unsigned i = 0; i < ITEMS; i++) {
    while (atomic_load_explicit(&tail, memory_order_acquire) == i)
      ;
    assert(ring[i % PLACES] == (int)i + 1);
    atomic_store_explicit(&head, i + 1, memory_order_release);
  }
  pthread_join(t, 0);
  return 0;
}
