// A queue of one producer and one consumer: slots are plain, the index is atomic.
//
// run: -DACQ=relaxed -DREL=relaxed --unwind 3
// expect: sc,tso=SAFE pso,rmo,alpha,power2010,power=UNSAFE
//
// run: -DACQ=acquire -DREL=release --unwind 3
// expect: sc,tso,pso,rmo,alpha,power=SAFE power2010=UNSAFE
//
// run: -DACQ=seq_cst -DREL=seq_cst --unwind 3
// expect: all=SAFE

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifndef ACQ
#define ACQ acquire
#endif
#ifndef REL
#define REL release
#endif
#define ORDER_(o) memory_order_##o
#define ORDER(o) ORDER_(o)

#define ITEMS 2

int slot[ITEMS];
atomic_int filled;
int wrong;

void *producer(void *arg) {
  for (int k = 0; k < ITEMS; k++) {
    slot[k] = 10 + k;
    atomic_store_explicit(&filled, k + 1, ORDER(REL));
  }
  return 0;
}

void *consumer(void *arg) {
  for (int k = 0; k < ITEMS; k++) {
    while (atomic_load_explicit(&filled, ORDER(ACQ)) <= k) {
    }
    int item = slot[k];
    if (item != 10 + k) {
      wrong = 1;
    }
  }
  return 0;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, producer, 0);
  pthread_create(&b, 0, consumer, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  assert(!wrong);
  return 0;
}
