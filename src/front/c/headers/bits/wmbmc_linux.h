/* What sources of the Linux kernel take for granted whatever header they include: annotations, helpers of
 * the compiler and of the allocator, and what is checked or traced in a running kernel and means nothing here. */
#pragma once
#include <kernel.h>
#include <errno.h>
#include <limits.h>
#include <string.h>

/* What only tells the compiler, the linker or a checker something. */
#define __always_inline inline
#define noinline
#define __must_check
#define __maybe_unused
#define __signed_wrap
#define __sched
#define __percpu
#define __force
#define __read_mostly
#define __ro_after_init
#define __cacheline_aligned
#define ____cacheline_aligned
#define ____cacheline_aligned_in_smp
#define __init
#define fallthrough ((void)0)
#define asmlinkage
#define __acquires(x)
#define __releases(x)
#define __cond_acquires(x)
#define __acquire(x) ((void)0)
#define __release(x) ((void)0)
#define EXPORT_SYMBOL(name)
#define EXPORT_SYMBOL_GPL(name)
#define prefetch(p) ((void)(p))
#define prefetchw(p) ((void)(p))
#define L1_CACHE_BYTES 64
#define SMP_CACHE_BYTES 64
#define CONFIG_SMP 1
/* 1 where the option is defined as 1, also in #if. */
#define __wmbmc_comma_1 0,
#define __wmbmc_second(first, second, ...) second
#define __wmbmc_enabled_by(comma) __wmbmc_second(comma 1, 0, 0)
#define __wmbmc_enabled(value) __wmbmc_enabled_by(__wmbmc_comma_##value)
#define IS_ENABLED(option) __wmbmc_enabled(option)

typedef unsigned long long aligned_u64 __attribute__((aligned(8)));
typedef unsigned gfp_t;
typedef unsigned long long dma_addr_t;
#define min(a, b) ({ __typeof__(a) __a = (a); __typeof__(b) __b = (b); __a < __b ? __a : __b; })
#define max(a, b) ({ __typeof__(a) __a = (a); __typeof__(b) __b = (b); __a > __b ? __a : __b; })
#define min3(a, b, c) ({ __typeof__(a) __ab = min(a, b); __typeof__(c) __c = (c); __ab < __c ? __ab : __c; })
#define DIV_ROUND_UP(n, d) (((n) + (d) - 1) / (d))
#define BUILD_BUG_ON(c) _Static_assert(!(c), #c)
#define compiletime_assert_atomic_type(x) ((void)0)
#define is_power_of_2(n) ((n) != 0 && ((n) & ((n) - 1)) == 0)
static inline unsigned long roundup_pow_of_two(unsigned long n) {
  unsigned long power = 1;
  while (power < n) power <<= 1;
  return power;
}
static inline unsigned long rounddown_pow_of_two(unsigned long n) {
  unsigned long power = 1;
  while (power <= n / 2) power <<= 1;
  return power;
}
static inline void *ERR_PTR(long error) { return (void *)error; }
static inline long PTR_ERR(const void *p) { return (long)p; }
static inline _Bool IS_ERR(const void *p) { return (unsigned long)p >= (unsigned long)-4095; }
#define ERESTARTSYS 512

/* Warnings are assertions, and have a value. */
#define WARN_ONCE(c, ...) ({ _Bool __warned = !!(c); assert(!__warned); __warned; })
#define WARN(c, ...) WARN_ONCE(c)

#define __GFP_ZERO 0x100u
#define KMALLOC_MAX_SIZE (1ul << 22)
#define kcalloc(n, size, flags) calloc(n, size)
#define kmalloc_array(n, size, flags) ((flags) & __GFP_ZERO ? calloc(n, size) : malloc((n) * (size)))
#define kvmalloc_array(n, size, flags) kmalloc_array(n, size, flags)
#define kmalloc_array_noprof(n, size, flags) kmalloc_array(n, size, flags)
#define kvmalloc_array_noprof(n, size, flags) kmalloc_array(n, size, flags)
#define alloc_hooks(allocation) (allocation)
#define kvfree(p) kfree(p)

/* Interrupts do not occur, and so none is kept out. A grace period waits for regions without
 * preemption as it does for critical sections of RCU (since Linux 4.20). */
#define preempt_disable() rcu_read_lock()
#define preempt_enable() rcu_read_unlock()
#define local_irq_save(flags) ((void)((flags) = 0))
#define local_irq_restore(flags) ((void)(flags))
#define local_irq_disable() barrier()
#define local_irq_enable() barrier()
#define raw_spin_lock_init(l) spin_lock_init(l)
#define raw_spin_trylock(l) spin_trylock(l)
#define raw_spin_lock_irq(l) spin_lock(l)
#define raw_spin_unlock_irq(l) spin_unlock(l)
#define raw_spin_lock_irqsave(l, flags) ((void)((flags) = 0), spin_lock(l))
#define raw_spin_unlock_irqrestore(l, flags) spin_unlock_irqrestore(l, flags)
#undef spin_lock_irqsave
#define spin_lock_irqsave(l, flags) ((void)((flags) = 0), spin_lock(l))
#define __RAW_SPIN_LOCK_UNLOCKED(name) { 0 }
#define __MUTEX_INITIALIZER(name) { 0 }
#define arch_spin_value_unlocked(l) ((l).__locked_word == 0)
#define assert_spin_locked(l) BUG_ON(!spin_is_locked(l))
#define might_sleep() ((void)0)
#define might_lock(l) ((void)0)
#define cond_resched() ((void)0)

/* The checker of locks, the tracer and the checker of data races of a running kernel. An access in
 * data_race() is a plain one here too, and takes part in races. */
struct lock_class_key { char __none; };
#define _RET_IP_ 0ul
#define lockdep_init_map(map, name, key, subclass) ((void)(name), (void)(key))
#define lockdep_set_class_and_name(l, key, name) ((void)(key), (void)(name))
#define lockdep_assert_held(l) ((void)0)
#define lockdep_assert_preemption_disabled() ((void)0)
#define lockdep_assert_RT_in_threaded_ctx() ((void)0)
#define lock_acquire(map, subclass, try, read, check, nest, ip) ((void)(ip))
#define lock_release(map, ip) ((void)(ip))
#define rwsem_acquire(map, subclass, try, ip) ((void)0)
#define rwsem_acquire_read(map, subclass, try, ip) ((void)0)
#define rwsem_release(map, ip) ((void)0)
#define seqcount_acquire(map, subclass, try, ip) ((void)0)
#define seqcount_acquire_read(map, subclass, try, ip) ((void)0)
#define seqcount_release(map, ip) ((void)0)
#define trace_contention_begin(lock, flags) ((void)0)
#define trace_contention_end(lock, result) ((void)0)
#define data_race(...) (__VA_ARGS__)
#define ASSERT_EXCLUSIVE_WRITER(x) ((void)0)
#define ASSERT_EXCLUSIVE_ACCESS(x) ((void)0)
#define kcsan_atomic_next(n) ((void)(n))
#define kcsan_nestable_atomic_begin() ((void)0)
#define kcsan_nestable_atomic_end() ((void)0)
#define kcsan_flat_atomic_begin() ((void)0)
#define kcsan_flat_atomic_end() ((void)0)

/* Some links are read outside of the lock of a list. */
static inline void list_del_init_careful(struct list_head *entry) {
  __list_del_entry(entry);
  WRITE_ONCE(entry->prev, entry);
  smp_store_release(&entry->next, entry);
}
static inline int list_empty_careful(const struct list_head *head) {
  struct list_head *next = smp_load_acquire(&head->next);
  return next == head && next == READ_ONCE(head->prev);
}

/* Memory of other devices and of users: what reaches these has no verdict. */
struct scatterlist { dma_addr_t dma_address; unsigned length; };
#define DMA_MAPPING_ERROR (~(dma_addr_t)0)
#define sg_dma_address(sg) ((sg)->dma_address)
#define sg_dma_len(sg) ((sg)->length)
void sg_set_buf(struct scatterlist *sg, const void *buffer, unsigned length);
unsigned long copy_from_user(void *to, const void *from, unsigned long n);
unsigned long copy_to_user(void *to, const void *from, unsigned long n);
