// Lamport's bakery for two threads: take a number, wait for those with a smaller one.
//
// run: --unwind 1
// expect: sc=SAFE tso,pso,rmo,alpha,power2010,power=UNSAFE
//
// run: -DFENCE_STORES --unwind 1
// expect: sc,tso,pso=SAFE
//
// run: -DFENCE_ALL --unwind 1
// expect: all=SAFE

#include "fenced.h"
#include <assert.h>
#include <pthread.h>

int choosing[2], number[2], owner;

static void section(int me) {
  int other = 1 - me;
  put(&choosing[me], 1);
  int mine = 1 + get(&number[other]);
  put(&number[me], mine);
  put(&choosing[me], 0);
  while (get(&choosing[other]) == 1) {
  }
  int theirs;
  while ((theirs = get(&number[other])) != 0 && (theirs < mine || (theirs == mine && other < me))) {
  }
  put(&owner, me);
  int seen = get(&owner);
  assert(seen == me);
  put(&number[me], 0);
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
