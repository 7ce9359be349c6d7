// Message passing: data then flag against flag then data.
//
// run: -DF1=none -DF2=none
// expect: sc,tso=SAFE pso,rmo,alpha,power2010,power=UNSAFE
//
// run: -DF1=mfence -DF2=mfence
// expect: all=SAFE
//
// run: -DF1=sync -DF2=sync
// expect: all=SAFE
//
// run: -DF1=lwsync -DF2=lwsync
// expect: sc,tso,pso,rmo,alpha,power=SAFE power2010=UNSAFE
//
// run: -DF1=lwsync -DD2=addr
// expect: sc,tso,pso,rmo,power=SAFE alpha,power2010=UNSAFE
//
// run: -DF1=sync -DD2=addr
// expect: sc,tso,pso,rmo,power2010,power=SAFE alpha=UNSAFE
//
// run: -DF1=sync -DD2=ctrl
// expect: sc,tso,pso=SAFE rmo,alpha,power2010,power=UNSAFE
//
// run: -DF1=sync -DD2=ctrlisync
// expect: sc,tso,pso,power2010,power=SAFE rmo,alpha=UNSAFE
//
// run: -DF1=lwsync -DD2=ctrlisync
// expect: sc,tso,pso,power=SAFE rmo,alpha,power2010=UNSAFE
//
// run: -DF1=none -DD2=addr
// expect: sc,tso=SAFE pso,rmo,alpha,power2010,power=UNSAFE
//
// run: -DF1=none -DF2=sync
// expect: sc,tso=SAFE pso,rmo,alpha,power2010,power=UNSAFE
//
// run: -DF1=eieio -DF2=sync
// expect: all=SAFE
//
// run: -DF1=c11rel -DF2=c11acq
// expect: sc,tso,pso,rmo,alpha,power=SAFE power2010=UNSAFE
//
// run: -DF1=c11sc -DF2=c11sc
// expect: all=SAFE
//
// run: -DF1=membar_ss -DF2=membar_ll
// expect: sc,pso,rmo=SAFE

#include "fences.h"
#include <assert.h>
#include <pthread.h>

int x, y, r1, r2;

void *thread0(void *arg) {
  x = 1;
  FENCE(F1);
  y = 1;
  return 0;
}

void *thread1(void *arg) {
  int a = y;
  int b;
  FENCE(F2);
  READ(D2, b, &x, a);
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
