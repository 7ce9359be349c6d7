// An object published by a pointer: the address dependency orders the read, if the writes are ordered.
//
// run:
// expect: sc,tso=SAFE pso,rmo,alpha,power2010,power=UNSAFE
//
// run: -DF1=lwsync
// expect: sc,tso,pso,rmo,power=SAFE alpha,power2010=UNSAFE
//
// run: -DF1=sync
// expect: sc,tso,pso,rmo,power2010,power=SAFE alpha=UNSAFE
//
// run: -DF1=c11rel
// expect: sc,tso,pso,rmo,power=SAFE alpha,power2010=UNSAFE
//
// run: -DF1=sync -DF2=sync
// expect: all=SAFE

#include "fences.h"
#include <assert.h>
#include <pthread.h>

int data;
int *box;
int ok = 1;

void *thread0(void *arg) {
  data = 42;
  FENCE(F1);
  box = &data;
  return 0;
}

void *thread1(void *arg) {
  int *p = box;
  FENCE(F2);
  if (p != 0) {
    ok = *p == 42;
  }
  return 0;
}

int main(void) {
  pthread_t t0, t1;
  pthread_create(&t0, 0, thread0, 0);
  pthread_create(&t1, 0, thread1, 0);
  pthread_join(t0, 0);
  pthread_join(t1, 0);
  assert(ok);
  return 0;
}
