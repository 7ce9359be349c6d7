// PostgreSQL's workers hand a token round a ring: raise the next worker's work flag, set its latch.
// The failing regression test of 2011 (pgsql-hackers, "Weak-memory danger in our latch code") in the
// form of Alglave, Kroening, Nimal and Tautschnig (ESOP 2013, CAV 2013). The process wakes up by
// polling instead of by a signal.
//
// Checked: a worker that was woken finds its work flag raised, otherwise it goes back to sleep and
// the token is lost; and the token is held by one worker at a time, so no job is lost.
// Stores to the flag and the latch swap from PSO on, and a latch read as set with a flag read as
// lowered from RMO on. A lightweight fence on both sides suffices; power2010 has no global
// reads-from and needs full ones.
//
// run: --unwind 3
// expect: sc,tso=SAFE pso,rmo,alpha,power2010,power=UNSAFE
//
// run: -DFENCE=lwsync --unwind 3
// expect: sc,tso,pso,rmo,alpha,power=SAFE power2010=UNSAFE
//
// run: -DFENCE=sync --unwind 3
// expect: all=SAFE

#include "pgsql_latch.h"
#include <pthread.h>

#define WORKERS 2
#ifndef ROUNDS
#define ROUNDS 2
#endif

Latch latch[WORKERS];
volatile bool flag[WORKERS];
int jobs;

static void SetLatch(Latch *latch) {
  pg_memory_barrier();
  if (latch->is_set) {
    return;
  }
  latch->is_set = true;
}

static void WaitLatch(Latch *latch) {
  while (!latch->is_set) {
  }
}

void *worker(void *arg) {
  int i = *(int *)arg, next = (i + 1) % WORKERS;
  for (int round = 0; round < ROUNDS; round++) {
    WaitLatch(&latch[i]);
    ResetLatch(&latch[i], i + 1);
    assert(flag[i]);
    if (flag[i]) {
      flag[i] = false;
      jobs = jobs + 1;
      flag[next] = true;
      SetLatch(&latch[next]);
    }
  }
  return 0;
}

int main(void) {
  pthread_t process[WORKERS];
  int id[WORKERS];
  for (int i = 0; i < WORKERS; i++) {
    id[i] = i;
    InitSharedLatch(&latch[i]);
    OwnLatch(&latch[i], i + 1);
  }
  flag[0] = true;
  SetLatch(&latch[0]);
  for (int i = 0; i < WORKERS; i++) {
    pthread_create(&process[i], 0, worker, &id[i]);
  }
  for (int i = 0; i < WORKERS; i++) {
    pthread_join(process[i], 0);
  }
  assert(jobs == WORKERS * ROUNDS);
  return 0;
}
