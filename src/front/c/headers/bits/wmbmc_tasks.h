/* The Linux kernel's tasks as far as they sleep and are woken. */
#pragma once
#include <bits/wmbmc_linux.h>

/* Threads are tasks. None has a signal, and none has to give up its processor. */
struct task_struct {
  unsigned __state;
  spinlock_t pi_lock;
  /* Those of kthread_run(). */
  int (*__function)(void *);
  void *__data;
  int __should_stop;
  int __result;
  unsigned long __pthread;
};
#define TASK_RUNNING 0u
#define TASK_INTERRUPTIBLE 1u
#define TASK_UNINTERRUPTIBLE 2u
#define TASK_NORMAL (TASK_INTERRUPTIBLE | TASK_UNINTERRUPTIBLE)
#define TASK_WAKEKILL 0x100u
#define TASK_KILLABLE (TASK_WAKEKILL | TASK_UNINTERRUPTIBLE)
#define TASK_NOLOAD 0x400u
#define TASK_IDLE (TASK_UNINTERRUPTIBLE | TASK_NOLOAD)
#define TASK_FREEZABLE 0x2000u
#define MAX_SCHEDULE_TIMEOUT LONG_MAX
#define WF_CURRENT_CPU 0x40
static _Thread_local struct task_struct __wmbmc_task_of_thread;
static _Thread_local struct task_struct *__wmbmc_kernel_thread;
static inline struct task_struct *__wmbmc_current(void) {
  return __wmbmc_kernel_thread ? __wmbmc_kernel_thread : &__wmbmc_task_of_thread;
}
#define current __wmbmc_current()
#define get_current_state() READ_ONCE(current->__state)
#define __set_current_state(s) WRITE_ONCE(current->__state, (s))
#define set_current_state(s) smp_store_mb(current->__state, (s))
static inline struct task_struct *get_task_struct(struct task_struct *t) { return t; }
static inline void put_task_struct(struct task_struct *t) { (void)t; }
static inline int signal_pending(struct task_struct *t) { return (void)t, 0; }
static inline int signal_pending_state(unsigned state, struct task_struct *t) { return (void)state, (void)t, 0; }
static inline _Bool need_resched(void) { return 0; }
static inline _Bool vcpu_is_preempted(int cpu) { return (void)cpu, 0; }

/* A full barrier before the state is read, and what was done before the wakeup is seen after it. */
static inline void schedule(void) {
  struct task_struct *me = current;
  smp_mb();
  while (smp_load_acquire(&me->__state) != TASK_RUNNING) cpu_relax();
}
/* The time may be over at once, or not before the wakeup. */
int __VERIFIER_nondet_int(void);
static inline long schedule_timeout(long timeout) {
  if (timeout != MAX_SCHEDULE_TIMEOUT && __VERIFIER_nondet_int()) {
    smp_mb();
    __set_current_state(TASK_RUNNING);
    return 0;
  }
  schedule();
  return timeout;
}
#define io_schedule() schedule()
#define io_schedule_timeout(timeout) schedule_timeout(timeout)
/* A full barrier before the state is read, whether the task sleeps or not. */
static inline int try_to_wake_up(struct task_struct *t, unsigned state, int flags) {
  int is_woken = 0;
  (void)flags;
  spin_lock(&t->pi_lock);
  smp_mb__after_spinlock();
  if (READ_ONCE(t->__state) & state) {
    WRITE_ONCE(t->__state, TASK_RUNNING);
    is_woken = 1;
  }
  spin_unlock(&t->pi_lock);
  return is_woken;
}
static inline int wake_up_state(struct task_struct *t, unsigned state) { return try_to_wake_up(t, state, 0); }
static inline int wake_up_process(struct task_struct *t) { return try_to_wake_up(t, TASK_NORMAL, 0); }
