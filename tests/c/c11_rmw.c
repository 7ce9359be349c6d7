// Store buffering with exchanges instead of stores: a locked instruction is a fence, a pair of lwarx and stwcx. is not.
//
// run: -DRMW=relaxed
// expect: sc,tso,pso=SAFE rmo,alpha,power2010,power=UNSAFE
//
// run: -DRMW=acq_rel
// expect: sc,tso,pso=SAFE rmo,alpha,power2010,power=UNSAFE
//
// run: -DRMW=seq_cst
// expect: sc,tso,pso,rmo,alpha=SAFE power2010,power=UNSAFE

#include "fences.h"
#include <assert.h>
#include <pthread.h>

#define ORDER_(o) memory_order_##o
#define ORDER(o) ORDER_(o)

atomic_int x, y;
int r1, r2;

void *thread0(void *arg) {
  atomic_exchange_explicit(&x, 1, ORDER(RMW));
  r1 = atomic_load_explicit(&y, memory_order_relaxed);
  return 0;
}

void *thread1(void *arg) {
  atomic_exchange_explicit(&y, 1, ORDER(RMW));
  r2 = atomic_load_explicit(&x, memory_order_relaxed);
  return 0;
}

int main(void) {
  pthread_t t0, t1;
  pthread_create(&t0, 0, thread0, 0);
  pthread_create(&t1, 0, thread1, 0);
  pthread_join(t0, 0);
  pthread_join(t1, 0);
  assert(!(r1 == 0 && r2 == 0));
  return 0;
}
