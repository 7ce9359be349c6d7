// The centralised barrier with sense reversal (Mellor-Crummey and Scott, TOCS 9(1), 1991; Hensgen,
// Finkel and Manber, 1988): threads count down, the last one resets the count and flips a flag that
// the others wait on, each for the opposite of what it waited for the last time.
//
// Checked: behind each barrier a thread sees what all others wrote before it.
// The threads before the last one are ordered with those that wait through the counter and the flag,
// which Power's fences carry on (they are cumulative). -DNO_SENSE never flips the flag back: the
// second barrier lets everybody pass. Where an atomic operation is a fence (PSO) -DWEAK lets the flag
// overtake the reset of the count, and the next round hangs, but nobody reads an old phase.
//
// run: --unwind 3
// expect: sc,tso,pso,rmo,alpha,power=SAFE power2010=UNSAFE
//
// run: -DWEAK --unwind 3
// expect: sc,tso,pso=SAFE rmo,alpha,power2010,power=UNSAFE
//
// run: -DSTRONG --unwind 3
// expect: all=SAFE
//
// run: -DNO_SENSE --unwind 3
// expect: all=UNSAFE
//
// run: --check race --unwind 3
// expect: all=SAFE

#include "orders.h"
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#ifndef THREADS
#define THREADS 3
#endif
#ifndef ROUNDS
#define ROUNDS 2
#endif

atomic_int count = THREADS;
atomic_bool sense;
/* Of this round and of the last, as a neighbour may be a round ahead. */
int phase[2][THREADS];

static void barrier(bool *local_sense) {
#ifdef NO_SENSE
  *local_sense = true;
#else
  *local_sense = !*local_sense;
#endif
  if (atomic_fetch_sub_explicit(&count, 1, ACQ_REL) == 1) {
    atomic_store_explicit(&count, THREADS, RELAXED);
    atomic_store_explicit(&sense, *local_sense, RELEASE);
  } else {
    while (atomic_load_explicit(&sense, ACQUIRE) != *local_sense) {
    }
  }
}

void *worker(void *arg) {
  int me = *(int *)arg;
  bool local_sense = false;
  for (int round = 1; round <= ROUNDS; round++) {
    phase[round % 2][me] = round;
    barrier(&local_sense);
    int neighbour = phase[round % 2][(me + 1) % THREADS];
    assert(neighbour == round);
  }
  return 0;
}

int main(void) {
  pthread_t threads[THREADS];
  int id[THREADS];
  for (int i = 0; i < THREADS; i++) {
    id[i] = i;
    pthread_create(&threads[i], 0, worker, &id[i]);
  }
  for (int i = 0; i < THREADS; i++) {
    pthread_join(threads[i], 0);
  }
  assert(count == THREADS);
  return 0;
}
