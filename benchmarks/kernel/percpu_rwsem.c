// Readers and a writer exclude each other, although a reader that meets no writer only counts on its own
// processor (kernel/locking/percpu-rwsem.c, kernel/rcu/sync.c and their headers). There are two processors.
//
// WAIT:     the reader waits for the writer, who stays; without, it gives up where it would have to wait
// RELEASE:  both: the reader waits, and the writer wakes it
// CALLBACK: the grace period behind the writer's section ends, and readers need not look for a writer again;
//           without, this is later than all that happens here, as it may be
// NO_GRACE: the writer does not wait for a grace period
#define NR_CPUS 2
#include <linux/rcupdate.h>
#include "include/linux/rcuwait.h"
#include "include/linux/rcu_sync.h"
#include "include/linux/percpu-rwsem.h"
#ifndef CALLBACK
#undef call_rcu_hurry
#define call_rcu_hurry(head, func) ((void)(func))
#endif
#ifdef NO_GRACE
#define synchronize_rcu() barrier()
#endif
#include "kernel/rcu/sync.c"
#include "kernel/locking/percpu-rwsem.c"
#include <pthread.h>

// These two are in kernel/exit.c, with much else.
int rcuwait_wake_up(struct rcuwait *w) {
  struct task_struct *task;
  int is_woken = 0;
  rcu_read_lock();
  smp_mb();
  task = rcu_dereference(w->task);
  if (task) is_woken = wake_up_process(task);
  rcu_read_unlock();
  return is_woken;
}
void finish_rcuwait(struct rcuwait *w) {
  rcu_assign_pointer(w->task, NULL);
  __set_current_state(TASK_RUNNING);
}

static DEFINE_STATIC_PERCPU_RWSEM(sem);
static int x, y;

static void *read(void *unused) {
#if defined(WAIT) || defined(RELEASE)
  percpu_down_read(&sem);
#else
  if (!percpu_down_read_trylock(&sem)) return unused;
#endif
  assert(READ_ONCE(x) == READ_ONCE(y));
  percpu_up_read(&sem);
  return unused;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, 0, read, 0);
  percpu_down_write(&sem);
  WRITE_ONCE(x, 1);
  WRITE_ONCE(y, 1);
#ifndef WAIT
  percpu_up_write(&sem);
#endif
  pthread_join(thread, 0);
  return 0;
}
