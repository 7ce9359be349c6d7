// Store buffering with C11 atomics.
//
// run: -DST=relaxed -DLD=relaxed
// expect: sc=SAFE tso,pso,rmo,alpha,power2010,power=UNSAFE
//
// run: -DST=release -DLD=acquire
// expect: sc=SAFE tso,pso,rmo,alpha,power2010,power=UNSAFE
//
// run: -DST=seq_cst -DLD=seq_cst
// expect: all=SAFE

#include "fences.h"
#include <assert.h>
#include <pthread.h>

#define ORDER_(o) memory_order_##o
#define ORDER(o) ORDER_(o)

atomic_int x, y;
int r1, r2;

void *thread0(void *arg) {
  atomic_store_explicit(&x, 1, ORDER(ST));
  r1 = atomic_load_explicit(&y, ORDER(LD));
  return 0;
}

void *thread1(void *arg) {
  atomic_store_explicit(&y, 1, ORDER(ST));
  r2 = atomic_load_explicit(&x, ORDER(LD));
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
