// Store buffering: each thread writes its own flag and reads the other's.
// Both reads may return 0 unless a full fence stands between.
//
// run: -DF1=none -DF2=none
// expect: sc=SAFE tso,pso,rmo,alpha,power2010,power=UNSAFE
//
// run: -DF1=mfence -DF2=mfence
// expect: all=SAFE
//
// run: -DF1=sync -DF2=sync
// expect: all=SAFE
//
// run: -DF1=lwsync -DF2=lwsync
// expect: sc=SAFE tso,pso,rmo,alpha,power2010,power=UNSAFE
//
// run: -DF1=mfence -DF2=none
// expect: sc=SAFE tso,pso,rmo,alpha,power2010,power=UNSAFE
//
// run: -DF1=c11sc -DF2=c11sc
// expect: all=SAFE
//
// run: -DF1=c11rel -DF2=c11acq
// expect: sc=SAFE tso,pso,rmo,alpha,power2010,power=UNSAFE
//
// run: -DF1=membar_sl -DF2=membar_sl
// expect: sc,pso,rmo=SAFE

#include "fences.h"
#include <assert.h>
#include <pthread.h>

int x, y, r1, r2;

void *thread0(void *arg) {
  x = 1;
  FENCE(F1);
  r1 = y;
  return 0;
}

void *thread1(void *arg) {
  y = 1;
  FENCE(F2);
  r2 = x;
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
