// What was written before complete() is seen behind wait_for_completion(); each complete() lets one waiter
// go, complete_all() lets all go (kernel/sched/completion.c, kernel/sched/swait.c, include/linux/completion.h).
//
// ALL:        complete_all() for two waiters
// FORGOTTEN:  nobody completes
// PEEK:       the state is read without a lock, and nothing orders what follows it
#include "include/linux/swait.h"
#include "include/linux/completion.h"
#include "kernel/sched/swait.c"
#include "kernel/sched/completion.c"
#include <pthread.h>

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
  pthread_t threads[2];
  pthread_create(&threads[0], 0, wait, 0);
#ifdef ALL
  pthread_create(&threads[1], 0, wait, 0);
#endif
  WRITE_ONCE(x, 5);
#if defined(ALL)
  complete_all(&done);
#elif !defined(FORGOTTEN)
  complete(&done);
#endif
  pthread_join(threads[0], 0);
#ifdef ALL
  pthread_join(threads[1], 0);
#elif !defined(PEEK)
  assert(!completion_done(&done));
#endif
  return 0;
}
