// A loop that waits, and tests what the round before has read: complete at bound 1. One that counts
// its rounds does not only wait.
//
// run: --unwind 1
// expect: sc,tso=SAFE pso,rmo,alpha,power2010,power=UNSAFE
//
// run: --unwind 1 -DF1=sync -DF2=sync
// expect: all=SAFE
//
// run: --unwind 2 -DF1=sync -DF2=sync -DCOUNT
// expect: all=BOUND
//
// run: --unwind 1 -DF1=sync -DF2=sync -DMARK
// expect: all=BOUND

#include "fences.h"
#include <assert.h>
#include <pthread.h>

int x, y, z, r1;

void *writer(void *arg) {
  x = 1;
  FENCE(F1);
  y = 1;
  return 0;
}

void *reader(void *arg) {
  int rounds = 0;
  int seen = y;
  while (!seen) {
#ifdef COUNT
    rounds++;
#endif
#ifdef MARK
    z = 1 - z;
#endif
    seen = y;
  }
  FENCE(F2);
  r1 = x;
  assert(rounds < 100);
  return 0;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, writer, 0);
  pthread_create(&b, 0, reader, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  assert(r1 == 1);
  return 0;
}
