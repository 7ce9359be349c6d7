// 2+2W: two locations written in opposite orders.
//
// run: -DF1=none -DF2=none
// expect: sc,tso=SAFE pso,rmo,alpha,power2010,power=UNSAFE
//
// run: -DF1=lwsync -DF2=lwsync
// expect: all=SAFE
//
// run: -DF1=sync -DF2=sync
// expect: all=SAFE
//
// run: -DF1=mfence -DF2=none
// expect: sc,tso=SAFE pso,rmo,alpha,power2010,power=UNSAFE
//
// run: -DF1=eieio -DF2=eieio
// expect: all=SAFE
//
// run: -DF1=c11rel -DF2=c11rel
// expect: all=SAFE
//
// run: -DF1=membar_ss -DF2=membar_ss
// expect: sc,pso,rmo=SAFE

#include "fences.h"
#include <assert.h>
#include <pthread.h>

int x, y;

void *thread0(void *arg) {
  x = 1;
  FENCE(F1);
  y = 2;
  return 0;
}

void *thread1(void *arg) {
  y = 1;
  FENCE(F2);
  x = 2;
  return 0;
}

int main(void) {
  pthread_t t0, t1;
  pthread_create(&t0, 0, thread0, 0);
  pthread_create(&t1, 0, thread1, 0);
  pthread_join(t0, 0);
  pthread_join(t1, 0);
  assert(!(x == 1 && y == 1));
  return 0;
}
