/* The Linux kernel's wait queues. */
#pragma once
#include <bits/wmbmc_tasks.h>

struct wait_queue_entry;
typedef int (*wait_queue_func_t)(struct wait_queue_entry *entry, unsigned mode, int flags, void *key);
typedef struct wait_queue_entry {
  unsigned flags;
  void *private;
  wait_queue_func_t func;
  struct list_head entry;
} wait_queue_entry_t;
typedef struct wait_queue_head { spinlock_t lock; struct list_head head; } wait_queue_head_t;
#define WQ_FLAG_EXCLUSIVE 1u
#define WQ_FLAG_CUSTOM 4u
#define __WAIT_QUEUE_HEAD_INITIALIZER(name) { .lock = { 0 }, .head = LIST_HEAD_INIT((name).head) }
#define DECLARE_WAIT_QUEUE_HEAD(name) wait_queue_head_t name = __WAIT_QUEUE_HEAD_INITIALIZER(name)
#define DECLARE_WAIT_QUEUE_HEAD_ONSTACK(name) DECLARE_WAIT_QUEUE_HEAD(name)
static inline void init_waitqueue_head(wait_queue_head_t *q) {
  spin_lock_init(&q->lock);
  INIT_LIST_HEAD(&q->head);
}
static inline int default_wake_function(wait_queue_entry_t *e, unsigned mode, int flags, void *key) {
  (void)key;
  return try_to_wake_up((struct task_struct *)e->private, mode, flags);
}
static inline int autoremove_wake_function(wait_queue_entry_t *e, unsigned mode, int flags, void *key) {
  int is_woken = default_wake_function(e, mode, flags, key);
  if (is_woken) list_del_init_careful(&e->entry);
  return is_woken;
}
#define DEFINE_WAIT_FUNC(name, function) \
  wait_queue_entry_t name = { .private = current, .func = function, .entry = LIST_HEAD_INIT((name).entry) }
#define DEFINE_WAIT(name) DEFINE_WAIT_FUNC(name, autoremove_wake_function)
#define DECLARE_WAITQUEUE(name, task) wait_queue_entry_t name = { .private = (task), .func = default_wake_function }
static inline void init_waitqueue_entry(wait_queue_entry_t *e, struct task_struct *t) {
  e->flags = 0;
  e->private = t;
  e->func = default_wake_function;
}
static inline void __add_wait_queue(wait_queue_head_t *q, wait_queue_entry_t *e) { list_add(&e->entry, &q->head); }
static inline void __add_wait_queue_entry_tail(wait_queue_head_t *q, wait_queue_entry_t *e) {
  list_add_tail(&e->entry, &q->head);
}
static inline void __remove_wait_queue(wait_queue_head_t *q, wait_queue_entry_t *e) {
  (void)q;
  list_del(&e->entry);
}
static inline void add_wait_queue(wait_queue_head_t *q, wait_queue_entry_t *e) {
  e->flags &= ~WQ_FLAG_EXCLUSIVE;
  spin_lock(&q->lock);
  __add_wait_queue(q, e);
  spin_unlock(&q->lock);
}
static inline void add_wait_queue_exclusive(wait_queue_head_t *q, wait_queue_entry_t *e) {
  e->flags |= WQ_FLAG_EXCLUSIVE;
  spin_lock(&q->lock);
  __add_wait_queue_entry_tail(q, e);
  spin_unlock(&q->lock);
}
static inline void remove_wait_queue(wait_queue_head_t *q, wait_queue_entry_t *e) {
  spin_lock(&q->lock);
  __remove_wait_queue(q, e);
  spin_unlock(&q->lock);
}
/* Without an order of its own: whoever tests it before a wakeup has a barrier in front. */
static inline int waitqueue_active(wait_queue_head_t *q) { return !list_empty(&q->head); }
static inline _Bool wq_has_sleeper(wait_queue_head_t *q) {
  smp_mb();
  return waitqueue_active(q);
}

/* All that are not exclusive, and as many exclusive ones as there are in `count`; 0 for all of them. */
static inline void __wake_up_common(wait_queue_head_t *q, unsigned mode, int count, int flags, void *key) {
  struct list_head *at, *next;
  list_for_each_safe(at, next, &q->head) {
    wait_queue_entry_t *e = list_entry(at, wait_queue_entry_t, entry);
    unsigned kind = e->flags;
    int result = e->func(e, mode, flags, key);
    if (result < 0) break;
    if (result && (kind & WQ_FLAG_EXCLUSIVE) && !--count) break;
  }
}
static inline void __wake_up(wait_queue_head_t *q, unsigned mode, int count, void *key) {
  spin_lock(&q->lock);
  __wake_up_common(q, mode, count, 0, key);
  spin_unlock(&q->lock);
}
#define wake_up(q) __wake_up(q, TASK_NORMAL, 1, 0)
#define wake_up_nr(q, n) __wake_up(q, TASK_NORMAL, n, 0)
#define wake_up_all(q) __wake_up(q, TASK_NORMAL, 0, 0)
#define wake_up_locked(q) __wake_up_common(q, TASK_NORMAL, 1, 0, 0)
#define wake_up_all_locked(q) __wake_up_common(q, TASK_NORMAL, 0, 0, 0)
#define wake_up_interruptible(q) __wake_up(q, TASK_INTERRUPTIBLE, 1, 0)
#define wake_up_interruptible_all(q) __wake_up(q, TASK_INTERRUPTIBLE, 0, 0)

static inline void prepare_to_wait(wait_queue_head_t *q, wait_queue_entry_t *e, unsigned state) {
  e->flags &= ~WQ_FLAG_EXCLUSIVE;
  spin_lock(&q->lock);
  if (list_empty(&e->entry)) __add_wait_queue(q, e);
  set_current_state(state);
  spin_unlock(&q->lock);
}
static inline _Bool prepare_to_wait_exclusive(wait_queue_head_t *q, wait_queue_entry_t *e, unsigned state) {
  _Bool was_empty = 0;
  e->flags |= WQ_FLAG_EXCLUSIVE;
  spin_lock(&q->lock);
  if (list_empty(&e->entry)) {
    was_empty = list_empty(&q->head);
    __add_wait_queue_entry_tail(q, e);
  }
  set_current_state(state);
  spin_unlock(&q->lock);
  return was_empty;
}
static inline void finish_wait(wait_queue_head_t *q, wait_queue_entry_t *e) {
  __set_current_state(TASK_RUNNING);
  if (!list_empty_careful(&e->entry)) {
    spin_lock(&q->lock);
    list_del_init(&e->entry);
    spin_unlock(&q->lock);
  }
}
#define __wmbmc_wait(q, condition, state, prepare) \
  do { \
    DEFINE_WAIT(__entry); \
    for (;;) { \
      prepare(q, &__entry, state); \
      if (condition) break; \
      schedule(); \
    } \
    finish_wait(q, &__entry); \
  } while (0)
#define wait_event(q, condition) \
  do { if (!(condition)) __wmbmc_wait(&(q), condition, TASK_UNINTERRUPTIBLE, prepare_to_wait); } while (0)
/* No task has a signal: the waits that one could end take place in full. */
#define wait_event_interruptible(q, condition) \
  ({ if (!(condition)) __wmbmc_wait(&(q), condition, TASK_INTERRUPTIBLE, prepare_to_wait); 0; })
#define wait_event_killable(q, condition) \
  ({ if (!(condition)) __wmbmc_wait(&(q), condition, TASK_KILLABLE, prepare_to_wait); 0; })
#define wait_event_interruptible_exclusive(q, condition) \
  ({ if (!(condition)) __wmbmc_wait(&(q), condition, TASK_INTERRUPTIBLE, prepare_to_wait_exclusive); 0; })
#define ___wait_is_interruptible(state) ((state) & (TASK_INTERRUPTIBLE | TASK_WAKEKILL))
