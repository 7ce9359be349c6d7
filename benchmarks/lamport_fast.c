// Lamport's fast mutual exclusion (1987) for two threads: seven accesses without contention.
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

int x, y, busy[3], owner;

static void section(int me) {
  int other = 3 - me;
start:
  put(&busy[me], 1);
  put(&x, me);
  if (get(&y) != 0) {
    put(&busy[me], 0);
    while (get(&y) != 0) {
    }
    goto start;
  }
  put(&y, me);
  if (get(&x) != me) {
    put(&busy[me], 0);
    while (get(&busy[other]) != 0) {
    }
    if (get(&y) != me) {
      while (get(&y) != 0) {
      }
      goto start;
    }
  }
  put(&owner, me);
  int seen = get(&owner);
  assert(seen == me);
  put(&y, 0);
  put(&busy[me], 0);
}

void *thread0(void *arg) {
  section(1);
  return 0;
}

void *thread1(void *arg) {
  section(2);
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
