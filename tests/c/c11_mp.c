// Message passing with C11 atomics; the data is a plain variable.
//
// run: -DST=relaxed -DLD=relaxed
// expect: sc,tso=SAFE pso,rmo,alpha,power2010,power=UNSAFE
//
// run: -DST=release -DLD=relaxed
// expect: sc,tso,pso=SAFE rmo,alpha,power2010,power=UNSAFE
//
// run: -DST=relaxed -DLD=acquire
// expect: sc,tso=SAFE pso,rmo,alpha,power2010,power=UNSAFE
//
// run: -DST=release -DLD=acquire
// expect: sc,tso,pso,rmo,alpha,power=SAFE power2010=UNSAFE
//
// run: -DST=seq_cst -DLD=seq_cst
// expect: all=SAFE

#include "fences.h"
#include <assert.h>
#include <pthread.h>

#define ORDER_(o) memory_order_##o
#define ORDER(o) ORDER_(o)

int x;
atomic_int y;
int r1, r2;

void *thread0(void *arg) {
  x = 1;
  atomic_store_explicit(&y, 1, ORDER(ST));
  return 0;
}

void *thread1(void *arg) {
  int a = atomic_load_explicit(&y, ORDER(LD));
  int b = x;
  r1 = a;
  r2 = b;
  return 0;
}

int main(void) {
  pthread_t t0, t1;
  pthread_create(&t0, 0, thread0, 0);
  pthread_create(&t1, 0, thread1, 0);
  pthread_join(t0, 0);
  pthread_join(t1, 0);
  assert(!(r1 == 1 && r2 == 0));
  return 0;
}
