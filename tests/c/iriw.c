// Independent reads of independent writes: do two readers agree on the order of two writes?
//
// run: -DF1=none -DF2=none
// expect: sc,tso,pso=SAFE rmo,alpha,power2010,power=UNSAFE
//
// run: -DF1=mfence -DF2=mfence
// expect: all=SAFE
//
// run: -DF1=sync -DF2=sync
// expect: all=SAFE
//
// run: -DF1=lwsync -DF2=lwsync
// expect: sc,tso,pso,rmo,alpha=SAFE power2010,power=UNSAFE
//
// run: -DD1=addr -DD2=addr
// expect: sc,tso,pso,rmo=SAFE alpha,power2010,power=UNSAFE
//
// run: -DF1=sync -DD2=addr
// expect: sc,tso,pso,rmo=SAFE alpha,power2010,power=UNSAFE

#include "fences.h"
#include <assert.h>
#include <pthread.h>

int x, y, r1, r2, r3, r4;

void *thread0(void *arg) {
  x = 1;
  return 0;
}

void *thread1(void *arg) {
  y = 1;
  return 0;
}

void *thread2(void *arg) {
  int a = x;
  int b;
  FENCE(F1);
  READ(D1, b, &y, a);
  r1 = a;
  r2 = b;
  return 0;
}

void *thread3(void *arg) {
  int c = y;
  int d;
  FENCE(F2);
  READ(D2, d, &x, c);
  r3 = c;
  r4 = d;
  return 0;
}

int main(void) {
  pthread_t t0, t1, t2, t3;
  pthread_create(&t0, 0, thread0, 0);
  pthread_create(&t1, 0, thread1, 0);
  pthread_create(&t2, 0, thread2, 0);
  pthread_create(&t3, 0, thread3, 0);
  pthread_join(t0, 0);
  pthread_join(t1, 0);
  pthread_join(t2, 0);
  pthread_join(t3, 0);
  assert(!(r1 == 1 && r2 == 0 && r3 == 1 && r4 == 0));
  return 0;
}
