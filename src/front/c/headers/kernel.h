#pragma once
/* The concurrency primitives of the Linux kernel, for programs that are taken from it.
 * The model of the kernel (`--mm lkmm`) knows each access and barrier by its own name; machines have
 * what the kernel is compiled to: barriers are fences by the pairs they order, a value-returning atomic
 * operation without a suffix is fully ordered, one with a suffix as it says, and one without a value is
 * relaxed (Documentation/atomic_t.txt). synchronize_rcu() and synchronize_srcu() have a meaning on the model
 * of the kernel alone. call_rcu() has a body in <linux/rcupdate.h>; without that header a program that can
 * reach it gets no verdict. */
#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;
typedef int8_t s8;
typedef int16_t s16;
typedef int32_t s32;
typedef int64_t s64;
typedef struct { int counter; } atomic_t;
typedef struct { long long counter; } atomic64_t;
typedef struct { long counter; } atomic_long_t;
/* The kernel's own sources look at the word of a lock by these names. */
typedef union { int __locked; struct { struct { int __locked_word; } raw_lock; } rlock; } spinlock_t;
typedef struct { int __locked; } raw_spinlock_t;
struct mutex { int __locked; };
struct rcu_head { struct rcu_head *next; void (*func)(struct rcu_head *); };

#define likely(x) __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)
#define __iomem
#define __rcu
#define __user
#define container_of(p, type, member) ((type *)((char *)(p) - offsetof(type, member)))
#define BUG_ON(c) assert(!(c))
#define WARN_ON(c) assert(!(c))
#define WARN_ON_ONCE(c) assert(!(c))
#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))
#define GFP_KERNEL 0
#define GFP_ATOMIC 0
#define kmalloc(size, flags) malloc(size)
#define kzalloc(size, flags) calloc(1, size)
#define kfree(p) free(p)

#define barrier() __asm__ volatile("" ::: "memory")
#define cpu_relax() barrier()
/* What stands for a memory order of C11 in the builtins below. */
#define __WMBMC_ONCE 0x4b00
#define __WMBMC_ACQUIRE 0x4b01
#define __WMBMC_RELEASE 0x4b02
#define __WMBMC_MB 0x4b03
#define __WMBMC_NORETURN 0x4b04
#define __WMBMC_LOCK 0x4b05
#define __WMBMC_UNLOCK 0x4b06
#define __WMBMC_FAILED 0x4b07
#define __WMBMC_LOCK_FAIL 0x4b08
#define __WMBMC_IS_LOCKED 0x4b09
#define __WMBMC_SRCU_LOCK 0x4b0a
#define __WMBMC_SRCU_UNLOCK 0x4b0b
void __wmbmc_smp_mb(void);
void __wmbmc_smp_rmb(void);
void __wmbmc_smp_wmb(void);
void __wmbmc_smp_mb__before_atomic(void);
void __wmbmc_smp_mb__after_atomic(void);
void __wmbmc_smp_mb__after_spinlock(void);
void __wmbmc_smp_mb__after_unlock_lock(void);
void __wmbmc_smp_mb__after_srcu_read_unlock(void);
void __wmbmc_rcu_read_lock(void);
void __wmbmc_rcu_read_unlock(void);
/* -D may have others: `-D'smp_wmb()='` shows what a program is without a barrier. */
#ifndef smp_mb
#define smp_mb() __wmbmc_smp_mb()
#endif
#ifndef smp_rmb
#define smp_rmb() __wmbmc_smp_rmb()
#endif
#ifndef smp_wmb
#define smp_wmb() __wmbmc_smp_wmb()
#endif
#define mb() smp_mb()
#define rmb() smp_rmb()
#define wmb() smp_wmb()
#ifndef smp_mb__before_atomic
#define smp_mb__before_atomic() __wmbmc_smp_mb__before_atomic()
#endif
#ifndef smp_mb__after_atomic
#define smp_mb__after_atomic() __wmbmc_smp_mb__after_atomic()
#endif
#ifndef smp_mb__after_spinlock
#define smp_mb__after_spinlock() __wmbmc_smp_mb__after_spinlock()
#endif
#ifndef smp_mb__after_unlock_lock
#define smp_mb__after_unlock_lock() __wmbmc_smp_mb__after_unlock_lock()
#endif
#define smp_mb__after_srcu_read_unlock() __wmbmc_smp_mb__after_srcu_read_unlock()
/* On Alpha dependent reads are not ordered, and READ_ONCE brings no barrier, as before Linux 4.15. */
#define smp_read_barrier_depends() ((void)0)

#define READ_ONCE(x) __atomic_load_n(&(x), __WMBMC_ONCE)
#define WRITE_ONCE(x, v) __atomic_store_n(&(x), v, __WMBMC_ONCE)
#define ACCESS_ONCE(x) (*(volatile __typeof__(x) *)&(x))
#define smp_store_mb(x, v) do { WRITE_ONCE(x, v); smp_mb(); } while (0)
#define smp_load_acquire(p) __atomic_load_n(p, __WMBMC_ACQUIRE)
#define smp_store_release(p, v) __atomic_store_n(p, v, __WMBMC_RELEASE)
/* A control dependency and a barrier for reads are together what an acquire is. */
#ifndef smp_acquire__after_ctrl_dep
#define smp_acquire__after_ctrl_dep() smp_rmb()
#endif
/* The value that was read is VAL in the condition. */
#define __wmbmc_cond_load(load, p, condition) \
  ({ __typeof__(p) __at = (p); \
     __typeof__(*(p) + 0) VAL; \
     for (;;) { \
       VAL = load; \
       if (condition) break; \
       cpu_relax(); \
     } \
     VAL; })
#define smp_cond_load_relaxed(p, condition) __wmbmc_cond_load(READ_ONCE(*__at), p, condition)
#define smp_cond_load_acquire(p, condition) __wmbmc_cond_load(smp_load_acquire(__at), p, condition)
#define rcu_assign_pointer(p, v) smp_store_release(&(p), v)
#define RCU_INIT_POINTER(p, v) WRITE_ONCE(p, v)
#define rcu_dereference(p) READ_ONCE(p)
#define rcu_dereference_protected(p, c) (p)
#define rcu_access_pointer(p) READ_ONCE(p)
#define rcu_replace_pointer(p, new, c) \
  ({ __typeof__(*(p)) *__before = rcu_dereference_protected((p), (c)); \
     rcu_assign_pointer((p), (new)); \
     __before; })
#define rcu_dereference_bh(p) rcu_dereference(p)
/* Critical sections nest; the outermost one is what a grace period waits for. */
static _Thread_local int __wmbmc_rcu_depth;
static inline void __wmbmc_begin_rcu(void) {
  if (__wmbmc_rcu_depth++ == 0) __wmbmc_rcu_read_lock();
}
static inline void __wmbmc_end_rcu(void) {
  BUG_ON(__wmbmc_rcu_depth <= 0);
  if (--__wmbmc_rcu_depth == 0) __wmbmc_rcu_read_unlock();
}
#define rcu_read_lock() __wmbmc_begin_rcu()
#define rcu_read_unlock() __wmbmc_end_rcu()
#define rcu_read_lock_bh() rcu_read_lock()
#define rcu_read_unlock_bh() rcu_read_unlock()
/* A program may have its own. */
void synchronize_rcu(void);
void synchronize_rcu_expedited(void);
void call_rcu(struct rcu_head *head, void (*func)(struct rcu_head *));
/* The critical section of a lock is ended by the unlock that is given what the lock returned. Sections of
 * srcu_down_read() may be ended by another thread. */
struct srcu_struct { int __index; };
#define __SRCU_STRUCT_INIT(name) { 0 }
#define DEFINE_SRCU(name) struct srcu_struct name = { 0 }
#define DEFINE_STATIC_SRCU(name) static struct srcu_struct name = { 0 }
static inline int init_srcu_struct(struct srcu_struct *s) { s->__index = 0; return 0; }
static inline void cleanup_srcu_struct(struct srcu_struct *s) { (void)s; }
static inline int srcu_read_lock(struct srcu_struct *s) { return __atomic_load_n(&s->__index, __WMBMC_SRCU_LOCK); }
static inline void srcu_read_unlock(struct srcu_struct *s, int index) {
  __atomic_store_n(&s->__index, index, __WMBMC_SRCU_UNLOCK);
}
#define srcu_down_read(s) srcu_read_lock(s)
#define srcu_up_read(s, index) srcu_read_unlock(s, index)
#define srcu_dereference(p, s) READ_ONCE(p)
void synchronize_srcu(struct srcu_struct *s);
void synchronize_srcu_expedited(struct srcu_struct *s);

#define xchg_relaxed(p, v) __atomic_exchange_n(p, v, __WMBMC_ONCE)
#define xchg_acquire(p, v) __atomic_exchange_n(p, v, __WMBMC_ACQUIRE)
#define xchg_release(p, v) __atomic_exchange_n(p, v, __WMBMC_RELEASE)
#define xchg(p, v) __atomic_exchange_n(p, v, __WMBMC_MB)
/* One that fails orders nothing. */
#define __wmbmc_cmpxchg(p, o, n, order) \
  ({ __typeof__(*(p) + 0) __was = (o); \
     __atomic_compare_exchange_n(p, &__was, n, 0, order, __WMBMC_FAILED); __was; })
#define cmpxchg_relaxed(p, o, n) __wmbmc_cmpxchg(p, o, n, __WMBMC_ONCE)
#define cmpxchg_acquire(p, o, n) __wmbmc_cmpxchg(p, o, n, __WMBMC_ACQUIRE)
#define cmpxchg_release(p, o, n) __wmbmc_cmpxchg(p, o, n, __WMBMC_RELEASE)
#define cmpxchg(p, o, n) __wmbmc_cmpxchg(p, o, n, __WMBMC_MB)
#define __wmbmc_try_cmpxchg(operation, p, e, n) \
  ({ __typeof__(*(p) + 0) __wanted = *(e), __seen = operation(p, __wanted, n); \
     if (__seen != __wanted) *(e) = __seen; \
     __seen == __wanted; })
#define try_cmpxchg_relaxed(p, e, n) __wmbmc_try_cmpxchg(cmpxchg_relaxed, p, e, n)
#define try_cmpxchg_acquire(p, e, n) __wmbmc_try_cmpxchg(cmpxchg_acquire, p, e, n)
#define try_cmpxchg_release(p, e, n) __wmbmc_try_cmpxchg(cmpxchg_release, p, e, n)
#define try_cmpxchg(p, e, n) __wmbmc_try_cmpxchg(cmpxchg, p, e, n)
#define cmpxchg64_relaxed(p, o, n) cmpxchg_relaxed(p, o, n)
#define cmpxchg64(p, o, n) cmpxchg(p, o, n)
#define try_cmpxchg64_relaxed(p, e, n) try_cmpxchg_relaxed(p, e, n)
#define try_cmpxchg64(p, e, n) try_cmpxchg(p, e, n)

#define ATOMIC_INIT(i) { (i) }
#define ATOMIC64_INIT(i) { (i) }
#define ATOMIC_LONG_INIT(i) { (i) }

#define __WMBMC_FETCH(name, value, type, builtin, order) \
  static inline value name(value i, type *v) { return builtin(&v->counter, i, order); }
#define __WMBMC_SUFFIXES(name, value, type, builtin) \
  __WMBMC_FETCH(name, value, type, builtin, __WMBMC_MB) \
  __WMBMC_FETCH(name##_relaxed, value, type, builtin, __WMBMC_ONCE) \
  __WMBMC_FETCH(name##_acquire, value, type, builtin, __WMBMC_ACQUIRE) \
  __WMBMC_FETCH(name##_release, value, type, builtin, __WMBMC_RELEASE)
#define __WMBMC_OP(atomic, type, value, op) \
  static inline void atomic##_##op(value i, type *v) { __atomic_fetch_##op(&v->counter, i, __WMBMC_NORETURN); } \
  __WMBMC_SUFFIXES(atomic##_fetch_##op, value, type, __atomic_fetch_##op)
#define __WMBMC_RETURN(atomic, type, value, op) \
  __WMBMC_SUFFIXES(atomic##_##op##_return, value, type, __atomic_##op##_fetch)
#define __WMBMC_ATOMIC(atomic, type, value) \
  static inline value atomic##_read(const type *v) { return READ_ONCE(v->counter); } \
  static inline void atomic##_set(type *v, value i) { WRITE_ONCE(v->counter, i); } \
  static inline value atomic##_read_acquire(const type *v) { return smp_load_acquire(&v->counter); } \
  static inline void atomic##_set_release(type *v, value i) { smp_store_release(&v->counter, i); } \
  __WMBMC_OP(atomic, type, value, add) \
  __WMBMC_OP(atomic, type, value, sub) \
  __WMBMC_OP(atomic, type, value, and) \
  __WMBMC_OP(atomic, type, value, or) \
  __WMBMC_OP(atomic, type, value, xor) \
  __WMBMC_RETURN(atomic, type, value, add) \
  __WMBMC_RETURN(atomic, type, value, sub) \
  static inline void atomic##_inc(type *v) { atomic##_add(1, v); } \
  static inline void atomic##_dec(type *v) { atomic##_sub(1, v); } \
  static inline value atomic##_inc_return(type *v) { return atomic##_add_return(1, v); } \
  static inline value atomic##_dec_return(type *v) { return atomic##_sub_return(1, v); } \
  static inline value atomic##_fetch_inc(type *v) { return atomic##_fetch_add(1, v); } \
  static inline value atomic##_fetch_dec(type *v) { return atomic##_fetch_sub(1, v); } \
  static inline int atomic##_dec_and_test(type *v) { return atomic##_sub_return(1, v) == 0; } \
  static inline int atomic##_inc_and_test(type *v) { return atomic##_add_return(1, v) == 0; } \
  static inline int atomic##_sub_and_test(value i, type *v) { return atomic##_sub_return(i, v) == 0; } \
  static inline int atomic##_add_negative(value i, type *v) { return atomic##_add_return(i, v) < 0; } \
  static inline value atomic##_xchg_relaxed(type *v, value n) { return xchg_relaxed(&v->counter, n); } \
  static inline value atomic##_xchg_acquire(type *v, value n) { return xchg_acquire(&v->counter, n); } \
  static inline value atomic##_xchg_release(type *v, value n) { return xchg_release(&v->counter, n); } \
  static inline value atomic##_xchg(type *v, value n) { return xchg(&v->counter, n); } \
  static inline value atomic##_cmpxchg_relaxed(type *v, value o, value n) { return cmpxchg_relaxed(&v->counter, o, n); } \
  static inline value atomic##_cmpxchg_acquire(type *v, value o, value n) { return cmpxchg_acquire(&v->counter, o, n); } \
  static inline value atomic##_cmpxchg_release(type *v, value o, value n) { return cmpxchg_release(&v->counter, o, n); } \
  static inline value atomic##_cmpxchg(type *v, value o, value n) { return cmpxchg(&v->counter, o, n); } \
  static inline int atomic##_add_unless(type *v, value a, value u) { \
    value c = atomic##_read(v); \
    while (c != u) { \
      value old = atomic##_cmpxchg(v, c, c + a); \
      if (old == c) return 1; \
      c = old; \
    } \
    return 0; \
  } \
  static inline int atomic##_inc_not_zero(type *v) { return atomic##_add_unless(v, 1, 0); }
__WMBMC_ATOMIC(atomic, atomic_t, int)
__WMBMC_ATOMIC(atomic64, atomic64_t, long long)
__WMBMC_ATOMIC(atomic_long, atomic_long_t, long)
#define atomic_cond_read_relaxed(v, c) smp_cond_load_relaxed(&(v)->counter, c)
#define atomic_cond_read_acquire(v, c) smp_cond_load_acquire(&(v)->counter, c)
static inline _Bool atomic_try_cmpxchg_relaxed(atomic_t *v, int *old, int n) {
  return __atomic_compare_exchange_n(&v->counter, old, n, 0, __WMBMC_ONCE, __WMBMC_FAILED);
}
static inline _Bool atomic_try_cmpxchg_acquire(atomic_t *v, int *old, int n) {
  return __atomic_compare_exchange_n(&v->counter, old, n, 0, __WMBMC_ACQUIRE, __WMBMC_FAILED);
}
static inline _Bool atomic_try_cmpxchg_release(atomic_t *v, int *old, int n) {
  return __atomic_compare_exchange_n(&v->counter, old, n, 0, __WMBMC_RELEASE, __WMBMC_FAILED);
}
static inline _Bool atomic_try_cmpxchg(atomic_t *v, int *old, int n) {
  int expected = *old, found = atomic_cmpxchg(v, expected, n);
  if (found != expected) *old = found;
  return found == expected;
}

/* A lock acquires and an unlock releases; neither is a full barrier. */
void __VERIFIER_assume(int);
static inline void __wmbmc_lock(int *l) {
  int old = 0;
  __atomic_compare_exchange_n(l, &old, 1, 0, __WMBMC_LOCK, __WMBMC_FAILED);
  __VERIFIER_assume(old == 0);
}
static inline int __wmbmc_try_lock(int *l) {
  int old = 0;
  return __atomic_compare_exchange_n(l, &old, 1, 0, __WMBMC_LOCK, __WMBMC_LOCK_FAIL);
}
static inline void __wmbmc_unlock(int *l) { __atomic_store_n(l, 0, __WMBMC_UNLOCK); }
#define __SPIN_LOCK_UNLOCKED(name) { 0 }
#define DEFINE_SPINLOCK(name) spinlock_t name = { 0 }
#define DEFINE_RAW_SPINLOCK(name) raw_spinlock_t name = { 0 }
#define DEFINE_MUTEX(name) struct mutex name = { 0 }
#define spin_lock_init(l) ((void)((l)->__locked = 0))
#define spin_lock(l) __wmbmc_lock(&(l)->__locked)
#define spin_trylock(l) __wmbmc_try_lock(&(l)->__locked)
#define spin_unlock(l) __wmbmc_unlock(&(l)->__locked)
#define spin_is_locked(l) (__atomic_load_n(&(l)->__locked, __WMBMC_IS_LOCKED) != 0)
#define raw_spin_lock(l) spin_lock(l)
#define raw_spin_unlock(l) spin_unlock(l)
#define spin_lock_irqsave(l, flags) ((void)(flags), spin_lock(l))
#define spin_unlock_irqrestore(l, flags) ((void)(flags), spin_unlock(l))
#define spin_lock_irq(l) spin_lock(l)
#define spin_unlock_irq(l) spin_unlock(l)
#define spin_lock_bh(l) spin_lock(l)
#define spin_unlock_bh(l) spin_unlock(l)
#define mutex_init(m) ((void)((m)->__locked = 0))
#define mutex_lock(m) __wmbmc_lock(&(m)->__locked)
#define mutex_trylock(m) __wmbmc_try_lock(&(m)->__locked)
#define mutex_unlock(m) __wmbmc_unlock(&(m)->__locked)

/* Doubly linked circular lists. The links of an element that was removed point nowhere. */
struct list_head { struct list_head *next, *prev; };
#define LIST_POISON1 ((void *)0x100)
#define LIST_POISON2 ((void *)0x122)
#define LIST_HEAD_INIT(name) { &(name), &(name) }
#define LIST_HEAD(name) struct list_head name = LIST_HEAD_INIT(name)
static inline void INIT_LIST_HEAD(struct list_head *list) {
  WRITE_ONCE(list->next, list);
  WRITE_ONCE(list->prev, list);
}
static inline void __list_add(struct list_head *entry, struct list_head *prev, struct list_head *next) {
  next->prev = entry;
  entry->next = next;
  entry->prev = prev;
  WRITE_ONCE(prev->next, entry);
}
static inline void list_add(struct list_head *entry, struct list_head *head) { __list_add(entry, head, head->next); }
static inline void list_add_tail(struct list_head *entry, struct list_head *head) { __list_add(entry, head->prev, head); }
static inline void __list_del(struct list_head *prev, struct list_head *next) {
  next->prev = prev;
  WRITE_ONCE(prev->next, next);
}
static inline void __list_del_entry(struct list_head *entry) { __list_del(entry->prev, entry->next); }
static inline void list_del(struct list_head *entry) {
  __list_del_entry(entry);
  entry->next = LIST_POISON1;
  entry->prev = LIST_POISON2;
}
static inline void list_del_init(struct list_head *entry) {
  __list_del_entry(entry);
  INIT_LIST_HEAD(entry);
}
static inline void list_replace(struct list_head *old, struct list_head *entry) {
  entry->next = old->next;
  entry->next->prev = entry;
  entry->prev = old->prev;
  entry->prev->next = entry;
}
static inline void list_move(struct list_head *entry, struct list_head *head) {
  __list_del_entry(entry);
  list_add(entry, head);
}
static inline void list_move_tail(struct list_head *entry, struct list_head *head) {
  __list_del_entry(entry);
  list_add_tail(entry, head);
}
static inline int list_empty(const struct list_head *head) { return READ_ONCE(head->next) == head; }
static inline int list_is_first(const struct list_head *entry, const struct list_head *head) { return entry->prev == head; }
static inline int list_is_last(const struct list_head *entry, const struct list_head *head) { return entry->next == head; }
static inline int list_is_singular(const struct list_head *head) { return !list_empty(head) && head->next == head->prev; }
static inline void __list_splice(const struct list_head *list, struct list_head *prev, struct list_head *next) {
  struct list_head *first = list->next, *last = list->prev;
  first->prev = prev;
  prev->next = first;
  last->next = next;
  next->prev = last;
}
static inline void list_splice(const struct list_head *list, struct list_head *head) {
  if (!list_empty(list)) __list_splice(list, head, head->next);
}
static inline void list_splice_tail(struct list_head *list, struct list_head *head) {
  if (!list_empty(list)) __list_splice(list, head->prev, head);
}
static inline void list_splice_init(struct list_head *list, struct list_head *head) {
  list_splice(list, head);
  INIT_LIST_HEAD(list);
}
static inline void list_splice_tail_init(struct list_head *list, struct list_head *head) {
  list_splice_tail(list, head);
  INIT_LIST_HEAD(list);
}
#define list_entry(p, type, member) container_of(p, type, member)
#define list_first_entry(p, type, member) list_entry((p)->next, type, member)
#define list_last_entry(p, type, member) list_entry((p)->prev, type, member)
#define list_first_entry_or_null(p, type, member) \
  ({ struct list_head *__head = (p), *__first = READ_ONCE(__head->next); \
     __first != __head ? list_entry(__first, type, member) : (type *)0; })
#define list_next_entry(p, member) list_entry((p)->member.next, __typeof__(*(p)), member)
#define list_prev_entry(p, member) list_entry((p)->member.prev, __typeof__(*(p)), member)
#define list_for_each(p, head) for ((p) = (head)->next; (p) != (head); (p) = (p)->next)
#define list_for_each_prev(p, head) for ((p) = (head)->prev; (p) != (head); (p) = (p)->prev)
#define list_for_each_safe(p, n, head) \
  for ((p) = (head)->next, (n) = (p)->next; (p) != (head); (p) = (n), (n) = (p)->next)
#define list_for_each_entry(p, head, member) \
  for ((p) = list_first_entry(head, __typeof__(*(p)), member); &(p)->member != (head); \
       (p) = list_next_entry(p, member))
#define list_for_each_entry_reverse(p, head, member) \
  for ((p) = list_last_entry(head, __typeof__(*(p)), member); &(p)->member != (head); \
       (p) = list_prev_entry(p, member))
#define list_for_each_entry_safe(p, n, head, member) \
  for ((p) = list_first_entry(head, __typeof__(*(p)), member), (n) = list_next_entry(p, member); \
       &(p)->member != (head); (p) = (n), (n) = list_next_entry(n, member))
static inline void list_add_rcu(struct list_head *entry, struct list_head *head) {
  struct list_head *next = head->next;
  entry->next = next;
  entry->prev = head;
  rcu_assign_pointer(head->next, entry);
  next->prev = entry;
}
static inline void list_add_tail_rcu(struct list_head *entry, struct list_head *head) {
  struct list_head *prev = head->prev;
  entry->next = head;
  entry->prev = prev;
  rcu_assign_pointer(prev->next, entry);
  head->prev = entry;
}
static inline void list_del_rcu(struct list_head *entry) {
  __list_del_entry(entry);
  entry->prev = LIST_POISON2;
}
#define list_entry_rcu(p, type, member) container_of(READ_ONCE(p), type, member)
#define list_for_each_entry_rcu(p, head, member) \
  for ((p) = list_entry_rcu((head)->next, __typeof__(*(p)), member); &(p)->member != (head); \
       (p) = list_entry_rcu((p)->member.next, __typeof__(*(p)), member))

/* Lists whose head is one pointer. */
struct hlist_node { struct hlist_node *next, **pprev; };
struct hlist_head { struct hlist_node *first; };
#define HLIST_HEAD_INIT { 0 }
#define HLIST_HEAD(name) struct hlist_head name = HLIST_HEAD_INIT
#define INIT_HLIST_HEAD(h) ((void)((h)->first = 0))
static inline void INIT_HLIST_NODE(struct hlist_node *h) {
  h->next = 0;
  h->pprev = 0;
}
static inline int hlist_unhashed(const struct hlist_node *h) { return !h->pprev; }
static inline int hlist_empty(const struct hlist_head *h) { return !READ_ONCE(h->first); }
static inline void hlist_add_head(struct hlist_node *n, struct hlist_head *h) {
  struct hlist_node *first = h->first;
  WRITE_ONCE(n->next, first);
  if (first) WRITE_ONCE(first->pprev, &n->next);
  WRITE_ONCE(h->first, n);
  WRITE_ONCE(n->pprev, &h->first);
}
static inline void hlist_add_before(struct hlist_node *n, struct hlist_node *next) {
  WRITE_ONCE(n->pprev, next->pprev);
  WRITE_ONCE(n->next, next);
  WRITE_ONCE(next->pprev, &n->next);
  WRITE_ONCE(*(n->pprev), n);
}
static inline void hlist_add_behind(struct hlist_node *n, struct hlist_node *prev) {
  WRITE_ONCE(n->next, prev->next);
  WRITE_ONCE(prev->next, n);
  WRITE_ONCE(n->pprev, &prev->next);
  if (n->next) WRITE_ONCE(n->next->pprev, &n->next);
}
static inline void __hlist_del(struct hlist_node *n) {
  struct hlist_node *next = n->next, **pprev = n->pprev;
  WRITE_ONCE(*pprev, next);
  if (next) WRITE_ONCE(next->pprev, pprev);
}
static inline void hlist_del(struct hlist_node *n) {
  __hlist_del(n);
  n->next = LIST_POISON1;
  n->pprev = LIST_POISON2;
}
static inline void hlist_del_init(struct hlist_node *n) {
  if (hlist_unhashed(n)) return;
  __hlist_del(n);
  INIT_HLIST_NODE(n);
}
#define hlist_entry(p, type, member) container_of(p, type, member)
#define hlist_entry_safe(p, type, member) \
  ({ __typeof__(p) __node = (p); __node ? hlist_entry(__node, type, member) : (type *)0; })
#define hlist_for_each(p, head) for ((p) = (head)->first; (p); (p) = (p)->next)
#define hlist_for_each_safe(p, n, head) \
  for ((p) = (head)->first; (p) && ((n) = (p)->next, 1); (p) = (n))
#define hlist_for_each_entry(p, head, member) \
  for ((p) = hlist_entry_safe((head)->first, __typeof__(*(p)), member); (p); \
       (p) = hlist_entry_safe((p)->member.next, __typeof__(*(p)), member))
#define hlist_for_each_entry_safe(p, n, head, member) \
  for ((p) = hlist_entry_safe((head)->first, __typeof__(*(p)), member); \
       (p) && ((n) = (p)->member.next, 1); (p) = hlist_entry_safe(n, __typeof__(*(p)), member))
static inline void hlist_add_head_rcu(struct hlist_node *n, struct hlist_head *h) {
  struct hlist_node *first = h->first;
  n->next = first;
  WRITE_ONCE(n->pprev, &h->first);
  rcu_assign_pointer(h->first, n);
  if (first) WRITE_ONCE(first->pprev, &n->next);
}

/* These have headers of their own with the guards of the kernel's, which take their place if they come first. */
#include <linux/llist.h>
#include <linux/refcount.h>
