// S: a write seen by a thread whose own write must then come later.
//
// run: -DF1=none -DD2=po
// expect: sc,tso=SAFE pso,rmo,alpha,power2010,power=UNSAFE
//
// run: -DF1=lwsync -DD2=po
// expect: sc,tso,pso=SAFE rmo,alpha,power2010,power=UNSAFE
//
// run: -DF1=lwsync -DD2=data
// expect: sc,tso,pso,rmo,power=SAFE alpha,power2010=UNSAFE
//
// run: -DF1=sync -DD2=data
// expect: sc,tso,pso,rmo,power2010,power=SAFE alpha=UNSAFE
//
// run: -DF1=sync -DD2=ctrl
// expect: sc,tso,pso,rmo,power2010,power=SAFE alpha=UNSAFE
//
// run: -DF1=lwsync -DF2=lwsync
// expect: all=SAFE
//
// run: -DF1=none -DD2=data
// expect: sc,tso=SAFE pso,rmo,alpha,power2010,power=UNSAFE

#include "fences.h"
#include <assert.h>
#include <pthread.h>

int x, y, r1;

void *thread0(void *arg) {
  x = 2;
  FENCE(F1);
  y = 1;
  return 0;
}

void *thread1(void *arg) {
  int a = y;
  FENCE(F2);
  WRITE(D2, &x, 1, a);
  r1 = a;
  return 0;
}

int main(void) {
  pthread_t t0, t1;
  pthread_create(&t0, 0, thread0, 0);
  pthread_create(&t1, 0, thread1, 0);
  pthread_join(t0, 0);
  pthread_join(t1, 0);
  assert(!(r1 == 1 && x == 2));
  return 0;
}
