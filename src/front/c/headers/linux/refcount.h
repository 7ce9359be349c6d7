/* The Linux kernel's counters of references. */
#ifndef _LINUX_REFCOUNT_H
#define _LINUX_REFCOUNT_H
#include <kernel.h>

/* Counters of references. What the kernel warns of is an assertion here: going up from zero, down to
 * or below zero by refcount_dec(), and overflow. A counter that reaches zero acquires, every
 * decrement releases, and increments are relaxed. */
typedef struct refcount_struct { atomic_t refs; } refcount_t;
#define REFCOUNT_INIT(n) { ATOMIC_INIT(n) }
static inline void refcount_set(refcount_t *r, int n) { atomic_set(&r->refs, n); }
static inline unsigned int refcount_read(const refcount_t *r) { return atomic_read(&r->refs); }
static inline void refcount_add(int i, refcount_t *r) {
  int old = atomic_fetch_add_relaxed(i, &r->refs);
  WARN_ON(old <= 0 || old > 0x7fffffff - i);
}
static inline void refcount_inc(refcount_t *r) { refcount_add(1, r); }
static inline _Bool refcount_add_not_zero(int i, refcount_t *r) {
  int old = atomic_read(&r->refs);
  do {
    if (!old) return 0;
  } while (!atomic_try_cmpxchg_relaxed(&r->refs, &old, old + i));
  WARN_ON(old < 0 || old > 0x7fffffff - i);
  return 1;
}
static inline _Bool refcount_inc_not_zero(refcount_t *r) { return refcount_add_not_zero(1, r); }
static inline _Bool refcount_sub_and_test(int i, refcount_t *r) {
  int old = atomic_fetch_sub_release(i, &r->refs);
  if (old == i) {
    smp_acquire__after_ctrl_dep();
    return 1;
  }
  WARN_ON(old < i);
  return 0;
}
static inline _Bool refcount_dec_and_test(refcount_t *r) { return refcount_sub_and_test(1, r); }
static inline void refcount_dec(refcount_t *r) {
  int old = atomic_fetch_sub_release(1, &r->refs);
  WARN_ON(old <= 1);
}
static inline _Bool refcount_dec_if_one(refcount_t *r) {
  int one = 1;
  return atomic_try_cmpxchg_release(&r->refs, &one, 0);
}
static inline _Bool refcount_dec_not_one(refcount_t *r) {
  int old = atomic_read(&r->refs);
  do {
    if (old == 1) return 0;
    WARN_ON(old <= 0);
  } while (!atomic_try_cmpxchg_release(&r->refs, &old, old - 1));
  return 1;
}
#endif
