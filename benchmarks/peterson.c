// Peterson's mutual exclusion for two threads.
// Its loop only waits, so bound 1 is enough for a proof.
//
// run: --unwind 1
// expect: sc=SAFE tso,pso,rmo,alpha,power2010,power=UNSAFE
//
// run: -DFENCE_STORES --unwind 1
// expect: sc,tso,pso=SAFE rmo,alpha,power2010,power=UNSAFE
//
// run: -DFENCE_ALL --unwind 1
// expect: all=SAFE

#include "fenced.h"
#include <assert.h>
#include <pthread.h>

int flag[2], turn, owner;

static void section(int me) {
  int other = 1 - me;
  put(&flag[me], 1);
  put(&turn, other);
  while (get(&flag[other]) == 1 && get(&turn) == other) {
  }
  put(&owner, me);
  int seen = get(&owner);
  assert(seen == me);
  put(&flag[me], 0);
}

void *thread0(void *arg) {
  section(0);
  return 0;
}

void *thread1(void *arg) {
  section(1);
  return 0;
}

int main(void) {
  pthread_t t0, t1;
  pthread_create(&t0, 0, thread0, 0);
  pthread_create(&t1, 0, thread1, 0);
  pthread_join(t0, 0);
  pthread_join(t1, 0);
  return 0;
}
