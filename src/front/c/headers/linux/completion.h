/* The Linux kernel's completions. */
#ifndef __LINUX_COMPLETION_H
#define __LINUX_COMPLETION_H
#include <kernel.h>

/* Completions: how many are done, under the lock of those who wait. */
struct completion { unsigned done; spinlock_t lock; };
#define COMPLETION_INITIALIZER(name) { 0, { 0 } }
#define DECLARE_COMPLETION(name) struct completion name = { 0, { 0 } }
#define DECLARE_COMPLETION_ONSTACK(name) DECLARE_COMPLETION(name)
static inline void init_completion(struct completion *x) {
  x->done = 0;
  spin_lock_init(&x->lock);
}
static inline void reinit_completion(struct completion *x) { x->done = 0; }
static inline void complete(struct completion *x) {
  spin_lock(&x->lock);
  if (x->done != ~0u) WRITE_ONCE(x->done, x->done + 1);
  spin_unlock(&x->lock);
}
static inline void complete_all(struct completion *x) {
  spin_lock(&x->lock);
  WRITE_ONCE(x->done, ~0u);
  spin_unlock(&x->lock);
}
static inline _Bool try_wait_for_completion(struct completion *x) {
  _Bool is_done;
  spin_lock(&x->lock);
  is_done = x->done != 0;
  if (is_done && x->done != ~0u) WRITE_ONCE(x->done, x->done - 1);
  spin_unlock(&x->lock);
  return is_done;
}
static inline void wait_for_completion(struct completion *x) {
  for (;;) {
    while (!READ_ONCE(x->done)) cpu_relax();
    if (try_wait_for_completion(x)) return;
  }
}
#endif
