// The other half of PostgreSQL's latch hand-over (unix_latch.c, 9.1): SetLatch returns at once when
// the latch is set already, and WaitLatch sleeps on a pipe that SetLatch's signal writes to.
// The owner resets its latch, looks for requests, sleeps; another process posts a request, sets the
// latch. The pipe is a counter that the kernel keeps.
//
// Checked: at the end nobody sleeps with an empty pipe on a request that was posted.
// It is store buffering: the owner's reset and its look at the requests against the other's request
// and its look at the latch. So it is wrong from TSO on, and a lightweight fence is of no help.
//
// run: --unwind 2
// expect: sc=SAFE tso,pso,rmo,alpha,power2010,power=UNSAFE
//
// run: -DFENCE=lwsync --unwind 2
// expect: sc=SAFE tso,pso,rmo,alpha,power2010,power=UNSAFE
//
// run: -DFENCE=sync --unwind 2
// expect: all=SAFE

#include "pgsql_latch.h"
#include <pthread.h>
#include <stdatomic.h>

#define OWNER 1
#ifndef JOBS
#define JOBS 1
#endif

Latch latch;
volatile int requests;
int served;
atomic_int self_pipe;

static void SetLatch(Latch *latch) {
  pg_memory_barrier();
  if (latch->is_set) {
    return;
  }
  latch->is_set = true;
  int owner_pid = latch->owner_pid;
  if (owner_pid != 0) {
    atomic_fetch_add(&self_pipe, 1); /* kill(), and the handler's write() */
  }
}

/* False where the process falls asleep in select(). */
static bool WaitLatch(Latch *latch) {
  for (;;) {
    atomic_exchange(&self_pipe, 0); /* drainSelfPipe() */
    if (latch->is_set) {
      return true;
    }
    if (atomic_load(&self_pipe) == 0) {
      return false;
    }
  }
}

void *owner(void *arg) {
  for (;;) {
    ResetLatch(&latch, OWNER);
    served = requests;
    if (!WaitLatch(&latch)) {
      return 0;
    }
  }
}

void *poster(void *arg) {
  for (int job = 1; job <= JOBS; job++) {
    requests = job;
    SetLatch(&latch);
  }
  return 0;
}

int main(void) {
  pthread_t a, b;
  InitSharedLatch(&latch);
  OwnLatch(&latch, OWNER);
  SetLatch(&latch);
  pthread_create(&a, 0, owner, 0);
  pthread_create(&b, 0, poster, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  assert(served == JOBS || self_pipe > 0);
  return 0;
}
