// R: a write races the write of a thread that then reads.
//
// run: -DF1=none -DF2=none
// expect: sc=SAFE tso,pso,rmo,alpha,power2010,power=UNSAFE
//
// run: -DF1=lwsync -DF2=lwsync
// expect: sc=SAFE tso,pso,rmo,alpha,power2010,power=UNSAFE
//
// run: -DF1=lwsync -DF2=sync
// expect: sc,tso,pso,rmo,alpha,power2010=SAFE power=UNSAFE
//
// run: -DF1=sync -DF2=sync
// expect: all=SAFE
//
// run: -DF1=none -DF2=mfence
// expect: sc,tso=SAFE pso,rmo,alpha,power2010,power=UNSAFE

#include "fences.h"
#include <assert.h>
#include <pthread.h>

int x, y, r1;

void *thread0(void *arg) {
  x = 1;
  FENCE(F1);
  y = 1;
  return 0;
}

void *thread1(void *arg) {
  y = 2;
  FENCE(F2);
  r1 = x;
  return 0;
}

int main(void) {
  pthread_t t0, t1;
  pthread_create(&t0, 0, thread0, 0);
  pthread_create(&t1, 0, thread1, 0);
  pthread_join(t0, 0);
  pthread_join(t1, 0);
  assert(!(y == 2 && r1 == 0));
  return 0;
}
