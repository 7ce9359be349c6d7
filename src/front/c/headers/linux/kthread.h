/* The Linux kernel's threads. */
#pragma once
#include <bits/wmbmc_tasks.h>
#include <pthread.h>

static inline void *__wmbmc_run_kernel_thread(void *task) {
  __wmbmc_kernel_thread = task;
  __wmbmc_kernel_thread->__result = __wmbmc_kernel_thread->__function(__wmbmc_kernel_thread->__data);
  return 0;
}
static inline struct task_struct *__wmbmc_kthread_run(int (*function)(void *), void *data) {
  pthread_t thread;
  struct task_struct *t = calloc(1, sizeof *t);
  t->__function = function;
  t->__data = data;
  pthread_create(&thread, 0, __wmbmc_run_kernel_thread, t);
  t->__pthread = (unsigned long)thread;
  return t;
}
#define kthread_run(function, data, ...) __wmbmc_kthread_run(function, data)
static inline _Bool kthread_should_stop(void) { return READ_ONCE(current->__should_stop); }
/* The task's memory is given back with its last reference, which is this one. */
static inline int kthread_stop(struct task_struct *t) {
  int result;
  WRITE_ONCE(t->__should_stop, 1);
  wake_up_process(t);
  pthread_join((pthread_t)t->__pthread, 0);
  result = t->__result;
  free(t);
  return result;
}
