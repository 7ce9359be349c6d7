// What was written before complete() is seen behind wait_for_completion(); each complete() lets one waiter
// go, complete_all() lets all go (kernel/sched/completion.c, kernel/sched/swait.c, include/linux/completion.h).
//
// WAITERS=2:  two threads wait
// ALL:        complete_all() lets all of them go
// FORGOTTEN:  nobody completes
// PEEK:       the state is read without a lock, and nothing orders what follows it
#include "include/linux/swait.h"
#include "include/linux/completion.h"
#include "kernel/sched/swait.c"
#include "kernel/sched/completion.c"
#include <pthread.h>

#ifndef WAITERS
#define WAITERS 1
#endif
static DECLARE_COMPLETION(done);
static int x;

static void *wait(void *unused) {
#ifdef PEEK
  if (!READ_ONCE(done.done)) return unused;
#else
  wait_for_completion(&done);
#endif
  assert(READ_ONCE(x) == 5);
  return unused;
}

int main(void) {
  pthread_t threads[WAITERS];
  for (int i = 0; i < WAITERS; i++) pthread_create(&threads[i], 0, wait, 0);
  WRITE_ONCE(x, 5);
#if defined(ALL)
  complete_all(&done);
#elif !defined(FORGOTTEN)
  for (int i = 0; i < WAITERS; i++) complete(&done);
#endif
  for (int i = 0; i < WAITERS; i++) pthread_join(threads[i], 0);
#ifdef ALL
  assert(completion_done(&done));
#elif !defined(PEEK)
  assert(!completion_done(&done));
#endif
  return 0;
}
