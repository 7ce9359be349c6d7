// Load buffering: each thread reads one location and then writes the other.
//
// run: -DD1=po -DD2=po
// expect: sc,tso,pso=SAFE rmo,alpha,power2010,power=UNSAFE
//
// run: -DD1=data -DD2=data
// expect: all=SAFE
//
// run: -DD1=addr -DD2=addr
// expect: all=SAFE
//
// run: -DD1=ctrl -DD2=ctrl
// expect: all=SAFE
//
// run: -DD1=data -DD2=po
// expect: sc,tso,pso=SAFE rmo,alpha,power2010,power=UNSAFE
//
// run: -DF1=lwsync -DF2=lwsync
// expect: all=SAFE
//
// run: -DF1=lwsync -DF2=none
// expect: sc,tso,pso=SAFE rmo,alpha,power2010,power=UNSAFE
//
// run: -DF1=c11acq -DF2=c11acq
// expect: all=SAFE

#include "fences.h"
#include <assert.h>
#include <pthread.h>

int x, y, r1, r2;

void *thread0(void *arg) {
  int a = x;
  FENCE(F1);
  WRITE(D1, &y, 1, a);
  r1 = a;
  return 0;
}

void *thread1(void *arg) {
  int b = y;
  FENCE(F2);
  WRITE(D2, &x, 1, b);
  r2 = b;
  return 0;
}

int main(void) {
  pthread_t t0, t1;
  pthread_create(&t0, 0, thread0, 0);
  pthread_create(&t1, 0, thread1, 0);
  pthread_join(t0, 0);
  pthread_join(t1, 0);
  assert(!(r1 == 1 && r2 == 1));
  return 0;
}
