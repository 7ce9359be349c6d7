/* The Linux kernel's callbacks after a grace period of RCU. */
#pragma once
#include <bits/wmbmc_linux.h>
#include <pthread.h>

/* Each callback is a thread of its own, which waits for a grace period first. */
#define __WMBMC_CALLBACKS 8
struct __wmbmc_callback { struct rcu_head *head; void (*func)(struct rcu_head *); void *freed; };
static struct __wmbmc_callback __wmbmc_callbacks[__WMBMC_CALLBACKS];
static int __wmbmc_callbacks_called, __wmbmc_callbacks_done[__WMBMC_CALLBACKS];
void __wmbmc_too_many_callbacks(void);
static inline void *__wmbmc_call_back(void *data) {
  struct __wmbmc_callback *c = data;
  synchronize_rcu();
  if (c->func) c->func(c->head);
  else free(c->freed);
  smp_store_release(&__wmbmc_callbacks_done[c - __wmbmc_callbacks], 1);
  return 0;
}
static inline void __wmbmc_call_rcu(struct rcu_head *head, void (*func)(struct rcu_head *), void *freed) {
  pthread_t thread;
  int n = __atomic_fetch_add(&__wmbmc_callbacks_called, 1, __WMBMC_ONCE);
  if (n >= __WMBMC_CALLBACKS) {
    __wmbmc_too_many_callbacks();
    return;
  }
  __wmbmc_callbacks[n].head = head;
  __wmbmc_callbacks[n].func = func;
  __wmbmc_callbacks[n].freed = freed;
  pthread_create(&thread, 0, __wmbmc_call_back, &__wmbmc_callbacks[n]);
}
#define call_rcu(head, func) __wmbmc_call_rcu(head, func, 0)
#define call_rcu_hurry(head, func) call_rcu(head, func)
#define kfree_rcu(p, field) __wmbmc_call_rcu(0, 0, p)
#define kvfree_rcu(p, field) kfree_rcu(p, field)
/* Waits for the callbacks that were called for before. */
static inline void rcu_barrier(void) {
  int n = READ_ONCE(__wmbmc_callbacks_called);
  for (int i = 0; i < __WMBMC_CALLBACKS; i++)
    if (i < n)
      while (!smp_load_acquire(&__wmbmc_callbacks_done[i])) cpu_relax();
}
#define RCU_LOCKDEP_WARN(c, text) ((void)0)
#define rcu_read_lock_held() 1
#define rcu_read_lock_any_held() 1
#define rcu_read_lock_sched() preempt_disable()
#define rcu_read_unlock_sched() preempt_enable()
