// Threads that spin for a lock, one behind the other: one at a time is in the critical section
// (kernel/locking/osq_lock.c). The owner before hands the lock over by a relaxed store: those who spin
// for a mutex are ordered by the mutex, and the section here begins and ends with full barriers.
//
// UNQUEUE:   a thread may give up at any time, as if it had to be rescheduled; it is not in the section then
// UNORDERED: the section has no barriers
#include <linux/sched.h>
#ifdef UNQUEUE
_Bool __VERIFIER_nondet_bool(void);
#define need_resched() __VERIFIER_nondet_bool()
#endif
#include "kernel/locking/osq_lock.c"
#include <pthread.h>

#ifndef THREADS
#define THREADS 2
#endif
#ifdef UNORDERED
#define section_barrier() barrier()
#else
#define section_barrier() smp_mb()
#endif
static struct optimistic_spin_queue lock = OSQ_LOCK_UNLOCKED;
static int x;
static atomic_t count;

static void *section(void *unused) {
  if (osq_lock(&lock)) {
    section_barrier();
    WRITE_ONCE(x, READ_ONCE(x) + 1);
    section_barrier();
    osq_unlock(&lock);
    atomic_inc(&count);
  }
  return unused;
}

int main(void) {
  pthread_t threads[THREADS];
  for (int i = 0; i < THREADS; i++) pthread_create(&threads[i], 0, section, 0);
  for (int i = 0; i < THREADS; i++) pthread_join(threads[i], 0);
  assert(x == atomic_read(&count));
#ifndef UNQUEUE
  assert(x == THREADS);
#endif
  assert(!osq_is_locked(&lock));
  return 0;
}
