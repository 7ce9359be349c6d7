// Dekker's mutual exclusion for two threads.
// Without fences both may see the other's flag down; a fence after every store repairs TSO and
// PSO, a fence after every access repairs every model.
//
// run: --unwind 2
// expect: sc=HOLDS tso,pso,rmo,alpha,power2010,power=UNSAFE
//
// run: -DFENCE_STORES --unwind 2
// expect: sc,tso,pso=HOLDS
//
// run: -DFENCE_ALL --unwind 2
// expect: all=HOLDS

#include "fenced.h"
#include <assert.h>
#include <pthread.h>

int flag[2], turn, owner;

static void section(int me) {
  int other = 1 - me;
  put(&flag[me], 1);
  while (get(&flag[other]) == 1) {
    if (get(&turn) != me) {
      put(&flag[me], 0);
      while (get(&turn) != me) {
      }
      put(&flag[me], 1);
    }
  }
  put(&owner, me);
  int seen = get(&owner);
  assert(seen == me);
  put(&turn, other);
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
