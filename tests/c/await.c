// A loop that only waits is complete at bound 1.
//
// run: --unwind 1
// expect: sc,tso=SAFE pso,rmo,alpha,power2010,power=UNSAFE
//
// run: --unwind 1 -DF1=lwsync -DF2=lwsync
// expect: sc,tso,pso,rmo,alpha,power=SAFE power2010=UNSAFE
//
// run: --unwind 1 -DF1=sync -DF2=sync
// expect: all=SAFE
//
// run: --unwind 1 -DF1=eieio
// expect: sc,tso,pso=SAFE rmo,alpha,power2010,power=UNSAFE

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
  while (y == 0) {
  }
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
  assert(r1 == 1);
  return 0;
}
