// Lamport's bakery (CACM 17(8), 1974) with its loops over all processes: take a number above
// everybody's, wait for each process that is choosing or has a smaller one. The shared variables are
// volatile, the fences inline assembly: -DFENCE=mfence as on x86, -DFENCE=sync as on Power.
//
// Checked: one process at a time is in the critical section.
// It rests on store buffering in two places (choosing and number, each against the others' numbers),
// so it is wrong from TSO on without full fences behind the stores and before the release.
//
// run: --unwind 3
// expect: sc=SAFE tso,pso,rmo,alpha,power2010,power=UNSAFE
//
// run: -DFENCE=mfence --unwind 3
// expect: sc,tso,pso=SAFE
//
// run: -DFENCE=sync --unwind 3
// expect: all=SAFE

#include <assert.h>
#include <pthread.h>
#include <stdbool.h>

#ifndef PROCESSES
#define PROCESSES 3
#endif
#define TEXT(instruction) #instruction
#define ASM(instruction) __asm__ volatile(TEXT(instruction) ::: "memory")
#ifdef FENCE
#define fence() ASM(FENCE)
#else
#define fence() ((void)0)
#endif

volatile bool choosing[PROCESSES];
volatile int number[PROCESSES];
int inside;

static void lock(int me) {
  int max = 0;
  choosing[me] = true;
  fence();
  for (int j = 0; j < PROCESSES; j++) {
    int theirs = number[j];
    if (theirs > max) {
      max = theirs;
    }
  }
  int mine = max + 1;
  number[me] = mine;
  fence();
  choosing[me] = false;
  fence();
  for (int j = 0; j < PROCESSES; j++) {
    if (j == me) {
      continue;
    }
    while (choosing[j]) {
    }
    fence();
    for (;;) {
      int theirs = number[j];
      if (theirs == 0 || theirs > mine || (theirs == mine && j > me)) {
        break;
      }
    }
  }
  fence();
}

static void unlock(int me) {
  fence();
  number[me] = 0;
}

void *process(void *arg) {
  int me = *(int *)arg;
  lock(me);
  inside = me;
  int seen = inside;
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
