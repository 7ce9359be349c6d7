// Write to read causality: the second thread passes on what it saw of the first.
//
// run: -DD1=po -DD2=po
// expect: sc,tso,pso=SAFE rmo,alpha,power2010,power=UNSAFE
//
// run: -DD1=data -DD2=addr
// expect: sc,tso,pso,rmo=SAFE alpha,power2010,power=UNSAFE
//
// run: -DF1=lwsync -DD2=addr
// expect: sc,tso,pso,rmo,power=SAFE alpha,power2010=UNSAFE
//
// run: -DF1=sync -DD2=addr
// expect: sc,tso,pso,rmo,power2010,power=SAFE alpha=UNSAFE
//
// run: -DF1=lwsync -DF2=lwsync
// expect: sc,tso,pso,rmo,alpha,power=SAFE power2010=UNSAFE
//
// run: -DD1=data -DF2=sync
// expect: sc,tso,pso,rmo=SAFE alpha,power2010,power=UNSAFE
//
// run: -DF1=sync -DF2=sync
// expect: all=SAFE

#include "fences.h"
#include <assert.h>
#include <pthread.h>

int x, y, r1, r2, r3;

void *thread0(void *arg) {
  x = 1;
  return 0;
}

void *thread1(void *arg) {
  int a = x;
  FENCE(F1);
  WRITE(D1, &y, 1, a);
  r1 = a;
  return 0;
}

void *thread2(void *arg) {
  int b = y;
  int c;
  FENCE(F2);
  READ(D2, c, &x, b);
  r2 = b;
  r3 = c;
  return 0;
}

int main(void) {
  pthread_t t0, t1, t2;
  pthread_create(&t0, 0, thread0, 0);
  pthread_create(&t1, 0, thread1, 0);
  pthread_create(&t2, 0, thread2, 0);
  pthread_join(t0, 0);
  pthread_join(t1, 0);
  pthread_join(t2, 0);
  assert(!(r1 == 1 && r2 == 1 && r3 == 0));
  return 0;
}
