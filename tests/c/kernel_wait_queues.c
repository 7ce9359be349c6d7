// Tasks of the kernel that sleep and are woken, by wait queues and by hand.
//
// run: -DQUEUE --check assert,deadlock
// expect: lkmm=SAFE
//
// Whoever changes the condition has to wake up.
// run: -DQUEUE -DFORGOTTEN --check termination
// expect: lkmm=UNSAFE
//
// run: -DBY_HAND --check assert,deadlock
// expect: lkmm=SAFE
//
// The state has to be set before the condition is read.
// run: -DBY_HAND -DLATE --check termination
// expect: lkmm=UNSAFE
//
// run: -DTHREADS --check assert
// expect: lkmm=SAFE
//
// run: -DTHREADS -DNO_WAKEUP --check termination
// expect: lkmm=UNSAFE

#define __KERNEL__
#include <linux/kthread.h>
#include <linux/sched.h>
#include <linux/wait.h>
#include <pthread.h>

static int x, ready;

#if defined(QUEUE)
static DECLARE_WAIT_QUEUE_HEAD(queue);
static void *other(void *unused) {
  WRITE_ONCE(x, 5);
  smp_store_release(&ready, 1);
#ifndef FORGOTTEN
  wake_up(&queue);
#endif
  return unused;
}
static void use(void) {
  wait_event(queue, smp_load_acquire(&ready));
  assert(READ_ONCE(x) == 5);
}
#elif defined(BY_HAND)
static struct task_struct *sleeper;
static void *other(void *unused) {
  WRITE_ONCE(x, 5);
  smp_store_release(&ready, 1);
  wake_up_process(sleeper);
  return unused;
}
static void use(void) {
  for (;;) {
#ifdef LATE
    if (smp_load_acquire(&ready)) break;
    set_current_state(TASK_UNINTERRUPTIBLE);
#else
    set_current_state(TASK_UNINTERRUPTIBLE);
    if (smp_load_acquire(&ready)) break;
#endif
    schedule();
  }
  __set_current_state(TASK_RUNNING);
  assert(READ_ONCE(x) == 5);
}
#endif

#ifdef THREADS
static int work(void *data) {
  WRITE_ONCE(*(int *)data, 7);
  for (;;) {
    set_current_state(TASK_INTERRUPTIBLE);
    if (kthread_should_stop()) break;
    schedule();
  }
  __set_current_state(TASK_RUNNING);
  return 3;
}
int main(void) {
  struct task_struct *t = kthread_run(work, &x, "worker");
#ifdef NO_WAKEUP
  WRITE_ONCE(t->__should_stop, 1);
  pthread_join((pthread_t)t->__pthread, 0);
#else
  assert(kthread_stop(t) == 3);
#endif
  assert(x == 7);
  return 0;
}
#else
int main(void) {
  pthread_t thread;
#ifdef BY_HAND
  sleeper = current;
#endif
  pthread_create(&thread, 0, other, 0);
  use();
  pthread_join(thread, 0);
  return 0;
}
#endif
