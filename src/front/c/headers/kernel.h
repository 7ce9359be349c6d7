#pragma once
/* The concurrency primitives of the Linux kernel, for programs that are taken from it.
 * Barriers are fences by the pairs they order; a value-returning atomic operation without a suffix
 * is fully ordered, one with a suffix as it says, and one without a value is relaxed
 * (Documentation/atomic_t.txt). synchronize_rcu() and call_rcu() are not supported: a program
 * that can reach them gets no verdict. */
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
typedef struct { int __locked; } spinlock_t;
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
#define smp_mb() __asm__ volatile("membar #LoadLoad|#LoadStore|#StoreLoad|#StoreStore" ::: "memory")
#define smp_rmb() __asm__ volatile("membar #LoadLoad" ::: "memory")
#define smp_wmb() __asm__ volatile("membar #StoreStore" ::: "memory")
#define mb() smp_mb()
#define rmb() smp_rmb()
#define wmb() smp_wmb()
#define smp_mb__before_atomic() smp_mb()
#define smp_mb__after_atomic() smp_mb()
#define smp_mb__after_spinlock() smp_mb()
#define smp_mb__after_unlock_lock() smp_mb()
/* On Alpha dependent reads are not ordered, and READ_ONCE brings no barrier, as before Linux 4.15. */
#define smp_read_barrier_depends() ((void)0)

#define READ_ONCE(x) (*(const volatile __typeof__(x) *)&(x))
#define WRITE_ONCE(x, v) ((void)(*(volatile __typeof__(x) *)&(x) = (v)))
#define ACCESS_ONCE(x) (*(volatile __typeof__(x) *)&(x))
#define smp_store_mb(x, v) do { WRITE_ONCE(x, v); smp_mb(); } while (0)
#define smp_load_acquire(p) __atomic_load_n(p, __ATOMIC_ACQUIRE)
#define smp_store_release(p, v) __atomic_store_n(p, v, __ATOMIC_RELEASE)
#define rcu_assign_pointer(p, v) smp_store_release(&(p), v)
#define RCU_INIT_POINTER(p, v) WRITE_ONCE(p, v)
#define rcu_dereference(p) READ_ONCE(p)
#define rcu_dereference_protected(p, c) (p)
#define rcu_access_pointer(p) READ_ONCE(p)
#define rcu_read_lock() barrier()
#define rcu_read_unlock() barrier()
void synchronize_rcu(void);
void call_rcu(struct rcu_head *head, void (*func)(struct rcu_head *));

#define xchg_relaxed(p, v) __atomic_exchange_n(p, v, __ATOMIC_RELAXED)
#define xchg_acquire(p, v) __atomic_exchange_n(p, v, __ATOMIC_ACQUIRE)
#define xchg_release(p, v) __atomic_exchange_n(p, v, __ATOMIC_RELEASE)
#define xchg(p, v) ({ smp_mb(); __typeof__(*(p) + 0) __old = xchg_relaxed(p, v); smp_mb(); __old; })
#define __wmbmc_cmpxchg(p, o, n, order) \
  ({ __typeof__(*(p) + 0) __was = (o); \
     __atomic_compare_exchange_n(p, &__was, n, 0, order, __ATOMIC_RELAXED); __was; })
#define cmpxchg_relaxed(p, o, n) __wmbmc_cmpxchg(p, o, n, __ATOMIC_RELAXED)
#define cmpxchg_acquire(p, o, n) __wmbmc_cmpxchg(p, o, n, __ATOMIC_ACQUIRE)
#define cmpxchg_release(p, o, n) __wmbmc_cmpxchg(p, o, n, __ATOMIC_RELEASE)
/* A failed compare-and-exchange orders nothing. */
#define cmpxchg(p, o, n) \
  ({ __typeof__(*(p) + 0) __expect = (o); smp_mb(); \
     __typeof__(*(p) + 0) __found = cmpxchg_relaxed(p, __expect, n); \
     if (__found == __expect) smp_mb(); \
     __found; })
#define try_cmpxchg(p, e, n) \
  ({ __typeof__(*(p) + 0) __wanted = *(e), __seen = cmpxchg(p, __wanted, n); \
     if (__seen != __wanted) *(e) = __seen; \
     __seen == __wanted; })

#define ATOMIC_INIT(i) { (i) }
#define ATOMIC64_INIT(i) { (i) }
#define ATOMIC_LONG_INIT(i) { (i) }

#define __WMBMC_ORDERED(name, ret, args, call, plain) \
  static inline ret name args { smp_mb(); ret r = plain call; smp_mb(); return r; }
#define __WMBMC_OP(atomic, type, value, op, sign) \
  static inline void atomic##_##op(value i, type *v) { __atomic_fetch_##sign(&v->counter, i, __ATOMIC_RELAXED); } \
  static inline value atomic##_fetch_##op##_relaxed(value i, type *v) { return __atomic_fetch_##sign(&v->counter, i, __ATOMIC_RELAXED); } \
  static inline value atomic##_fetch_##op##_acquire(value i, type *v) { return __atomic_fetch_##sign(&v->counter, i, __ATOMIC_ACQUIRE); } \
  static inline value atomic##_fetch_##op##_release(value i, type *v) { return __atomic_fetch_##sign(&v->counter, i, __ATOMIC_RELEASE); } \
  __WMBMC_ORDERED(atomic##_fetch_##op, value, (value i, type *v), (i, v), atomic##_fetch_##op##_relaxed)
#define __WMBMC_RETURN(atomic, type, value, op) \
  static inline value atomic##_##op##_return_relaxed(value i, type *v) { return __atomic_##op##_fetch(&v->counter, i, __ATOMIC_RELAXED); } \
  static inline value atomic##_##op##_return_acquire(value i, type *v) { return __atomic_##op##_fetch(&v->counter, i, __ATOMIC_ACQUIRE); } \
  static inline value atomic##_##op##_return_release(value i, type *v) { return __atomic_##op##_fetch(&v->counter, i, __ATOMIC_RELEASE); } \
  __WMBMC_ORDERED(atomic##_##op##_return, value, (value i, type *v), (i, v), atomic##_##op##_return_relaxed)
#define __WMBMC_ATOMIC(atomic, type, value) \
  static inline value atomic##_read(const type *v) { return READ_ONCE(v->counter); } \
  static inline void atomic##_set(type *v, value i) { WRITE_ONCE(v->counter, i); } \
  static inline value atomic##_read_acquire(const type *v) { return smp_load_acquire(&v->counter); } \
  static inline void atomic##_set_release(type *v, value i) { smp_store_release(&v->counter, i); } \
  __WMBMC_OP(atomic, type, value, add, add) \
  __WMBMC_OP(atomic, type, value, sub, sub) \
  __WMBMC_OP(atomic, type, value, and, and) \
  __WMBMC_OP(atomic, type, value, or, or) \
  __WMBMC_OP(atomic, type, value, xor, xor) \
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

/* A lock acquires and an unlock releases; neither is a full barrier. */
void __VERIFIER_assume(int);
static inline void __wmbmc_lock(int *l) {
  int old = 0;
  __atomic_compare_exchange_n(l, &old, 1, 0, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
  __VERIFIER_assume(old == 0);
}
static inline int __wmbmc_try_lock(int *l) {
  int old = 0;
  return __atomic_compare_exchange_n(l, &old, 1, 0, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
}
static inline void __wmbmc_unlock(int *l) { __atomic_store_n(l, 0, __ATOMIC_RELEASE); }
#define __SPIN_LOCK_UNLOCKED(name) { 0 }
#define DEFINE_SPINLOCK(name) spinlock_t name = { 0 }
#define DEFINE_RAW_SPINLOCK(name) raw_spinlock_t name = { 0 }
#define DEFINE_MUTEX(name) struct mutex name = { 0 }
#define spin_lock_init(l) ((void)((l)->__locked = 0))
#define spin_lock(l) __wmbmc_lock(&(l)->__locked)
#define spin_trylock(l) __wmbmc_try_lock(&(l)->__locked)
#define spin_unlock(l) __wmbmc_unlock(&(l)->__locked)
#define spin_is_locked(l) (READ_ONCE((l)->__locked) != 0)
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
