// Szymanski's mutual exclusion (ICS 1988) in its five-valued form with loops over all processes:
// those that arrive together wait in a room, the door behind them closes, they go in by number.
//
// Checked: one process at a time is in the critical section.
// Every step stores its own flag and reads the others', so store buffering breaks it from TSO on; a
// fence behind every store (-DFENCE_STORES) is enough where nothing but a read passes a store, and
// one behind every access (-DFENCE_ALL) everywhere.
//
// run: --unwind 2
// expect: sc=SAFE tso,pso,rmo,alpha,power2010,power=UNSAFE
//
// run: -DFENCE_STORES --unwind 2
// expect: sc,tso,pso=SAFE
//
// run: -DFENCE_ALL --unwind 2
// expect: all=SAFE
//
// run: -DPROCESSES=3 --unwind 3
// expect: sc=SAFE tso,pso,rmo,alpha,power2010=UNSAFE

#include "../fenced.h"
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>

#ifndef PROCESSES
#define PROCESSES 2
#endif

enum { OUTSIDE, WANTS, WAITS, ENTERS, INSIDE };
int flag[PROCESSES];
int inside;

static bool all_below(int from, int to, int bound) {
  for (int j = from; j < to; j++) {
    if (get(&flag[j]) >= bound) {
      return false;
    }
  }
  return true;
}

static bool some(int value) {
  for (int j = 0; j < PROCESSES; j++) {
    if (get(&flag[j]) == value) {
      return true;
    }
  }
  return false;
}

static bool gone_or_inside(int from) {
  for (int j = from; j < PROCESSES; j++) {
    int f = get(&flag[j]);
    if (f == WAITS || f == ENTERS) {
      return false;
    }
  }
  return true;
}

static void lock(int me) {
  put(&flag[me], WANTS);
  while (!all_below(0, PROCESSES, ENTERS)) {
  }
  put(&flag[me], ENTERS);
  if (some(WANTS)) {
    put(&flag[me], WAITS);
    while (!some(INSIDE)) {
    }
  }
  put(&flag[me], INSIDE);
  while (!all_below(0, me, WAITS)) {
  }
}

static void unlock(int me) {
  while (!gone_or_inside(me + 1)) {
  }
  put(&flag[me], OUTSIDE);
}

void *process(void *arg) {
  int me = *(int *)arg;
  lock(me);
  put(&inside, me);
  int seen = get(&inside);
  assert(seen == me);
  unlock(me);
  return 0;
}

int main(void) {
  pthread_t processes[PROCESSES];
  int id[PROCESSES];
  for (int i = 0; i < PROCESSES; i++) {
    id[i] = i;
    pthread_create(&processes[i], 0, process, &id[i]);
  }
  for (int i = 0; i < PROCESSES; i++) {
    pthread_join(processes[i], 0);
  }
  return 0;
}
