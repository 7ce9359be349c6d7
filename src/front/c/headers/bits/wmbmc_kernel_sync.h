/* Of the Linux kernel: bit operations, bit locks, reader-writer locks, sequence counters and locks, reference counts of
 * objects, completions. Each is made of the operations that the kernel's generic one is made of, so that the model says
 * what it orders. Included by kernel.h. */
#pragma once

/* Bits of words. Those without a result order nothing, the others are full barriers. */
#define BITS_PER_LONG (8 * (int)sizeof(long))
#define BIT_WORD(nr) ((nr) / BITS_PER_LONG)
#define BIT_MASK(nr) (1UL << ((nr) % BITS_PER_LONG))
#define __wmbmc_word(nr, addr) ((atomic_long_t *)(addr) + BIT_WORD(nr))
static inline int test_bit(long nr, const volatile unsigned long *addr) {
  return (READ_ONCE(((const unsigned long *)addr)[BIT_WORD(nr)]) & BIT_MASK(nr)) != 0;
}
static inline void set_bit(long nr, volatile unsigned long *addr) {
  atomic_long_or(BIT_MASK(nr), __wmbmc_word(nr, addr));
}
static inline void clear_bit(long nr, volatile unsigned long *addr) {
  atomic_long_and(~BIT_MASK(nr), __wmbmc_word(nr, addr));
}
static inline void change_bit(long nr, volatile unsigned long *addr) {
  atomic_long_xor(BIT_MASK(nr), __wmbmc_word(nr, addr));
}
static inline int test_and_set_bit(long nr, volatile unsigned long *addr) {
  return (atomic_long_fetch_or(BIT_MASK(nr), __wmbmc_word(nr, addr)) & BIT_MASK(nr)) != 0;
}
static inline int test_and_clear_bit(long nr, volatile unsigned long *addr) {
  return (atomic_long_fetch_and(~BIT_MASK(nr), __wmbmc_word(nr, addr)) & BIT_MASK(nr)) != 0;
}
static inline int test_and_change_bit(long nr, volatile unsigned long *addr) {
  return (atomic_long_fetch_xor(BIT_MASK(nr), __wmbmc_word(nr, addr)) & BIT_MASK(nr)) != 0;
}
/* Bits as locks: setting one that was clear acquires, clearing one releases. */
static inline int test_and_set_bit_lock(long nr, volatile unsigned long *addr) {
  if (test_bit(nr, addr)) return 1;
  return (atomic_long_fetch_or_acquire(BIT_MASK(nr), __wmbmc_word(nr, addr)) & BIT_MASK(nr)) != 0;
}
static inline void clear_bit_unlock(long nr, volatile unsigned long *addr) {
  atomic_long_fetch_and_release(~BIT_MASK(nr), __wmbmc_word(nr, addr));
}
static inline void bit_spin_lock(int nr, unsigned long *addr) {
  while (test_and_set_bit_lock(nr, addr)) cpu_relax();
}
static inline int bit_spin_trylock(int nr, unsigned long *addr) { return !test_and_set_bit_lock(nr, addr); }
static inline void bit_spin_unlock(int nr, unsigned long *addr) { clear_bit_unlock(nr, addr); }

/* Reader-writer locks that spin: how many readers there are, or -1 for a writer. */
typedef struct { atomic_t count; } rwlock_t;
#define __RW_LOCK_UNLOCKED(name) { ATOMIC_INIT(0) }
#define DEFINE_RWLOCK(name) rwlock_t name = { ATOMIC_INIT(0) }
#define rwlock_init(l) atomic_set(&(l)->count, 0)
static inline int read_trylock(rwlock_t *l) {
  int old = atomic_read(&l->count);
  return old >= 0 && atomic_cmpxchg_acquire(&l->count, old, old + 1) == old;
}
static inline void read_lock(rwlock_t *l) {
  while (!read_trylock(l)) cpu_relax();
}
static inline void read_unlock(rwlock_t *l) { atomic_fetch_sub_release(1, &l->count); }
static inline int write_trylock(rwlock_t *l) { return atomic_cmpxchg_acquire(&l->count, 0, -1) == 0; }
static inline void write_lock(rwlock_t *l) {
  while (!write_trylock(l)) cpu_relax();
}
static inline void write_unlock(rwlock_t *l) { atomic_set_release(&l->count, 0); }
#define read_lock_irq(l) read_lock(l)
#define read_unlock_irq(l) read_unlock(l)
#define read_lock_bh(l) read_lock(l)
#define read_unlock_bh(l) read_unlock(l)
#define write_lock_irq(l) write_lock(l)
#define write_unlock_irq(l) write_unlock(l)
#define write_lock_bh(l) write_lock(l)
#define write_unlock_bh(l) write_unlock(l)
#define read_lock_irqsave(l, flags) ((void)(flags), read_lock(l))
#define read_unlock_irqrestore(l, flags) ((void)(flags), read_unlock(l))
#define write_lock_irqsave(l, flags) ((void)(flags), write_lock(l))
#define write_unlock_irqrestore(l, flags) ((void)(flags), write_unlock(l))

/* Sequence counters: odd while a writer is at work (include/linux/seqlock.h). */
typedef struct seqcount { unsigned sequence; } seqcount_t;
#define SEQCNT_ZERO(name) { 0 }
#define seqcount_init(s) ((void)((s)->sequence = 0))
static inline unsigned raw_read_seqcount(const seqcount_t *s) { return smp_load_acquire(&s->sequence); }
static inline unsigned read_seqcount_begin(const seqcount_t *s) {
  unsigned seq;
  while ((seq = smp_load_acquire(&s->sequence)) & 1) cpu_relax();
  return seq;
}
static inline int read_seqcount_retry(const seqcount_t *s, unsigned start) {
  smp_rmb();
  return READ_ONCE(s->sequence) != start;
}
static inline void write_seqcount_begin(seqcount_t *s) {
  WRITE_ONCE(s->sequence, s->sequence + 1);
  smp_wmb();
}
static inline void write_seqcount_end(seqcount_t *s) {
  smp_wmb();
  WRITE_ONCE(s->sequence, s->sequence + 1);
}
static inline void write_seqcount_invalidate(seqcount_t *s) {
  smp_wmb();
  WRITE_ONCE(s->sequence, s->sequence + 2);
}
#define raw_write_seqcount_begin(s) write_seqcount_begin(s)
#define raw_write_seqcount_end(s) write_seqcount_end(s)

/* The same with a lock for writers. */
typedef struct { seqcount_t seqcount; spinlock_t lock; } seqlock_t;
#define __SEQLOCK_UNLOCKED(name) { { 0 }, { 0 } }
#define DEFINE_SEQLOCK(name) seqlock_t name = { { 0 }, { 0 } }
#define seqlock_init(s) (seqcount_init(&(s)->seqcount), spin_lock_init(&(s)->lock))
static inline unsigned read_seqbegin(const seqlock_t *s) { return read_seqcount_begin(&s->seqcount); }
static inline int read_seqretry(const seqlock_t *s, unsigned start) { return read_seqcount_retry(&s->seqcount, start); }
static inline void write_seqlock(seqlock_t *s) {
  spin_lock(&s->lock);
  write_seqcount_begin(&s->seqcount);
}
static inline void write_sequnlock(seqlock_t *s) {
  write_seqcount_end(&s->seqcount);
  spin_unlock(&s->lock);
}
#define write_seqlock_irq(s) write_seqlock(s)
#define write_sequnlock_irq(s) write_sequnlock(s)
#define write_seqlock_bh(s) write_seqlock(s)
#define write_sequnlock_bh(s) write_sequnlock(s)
#define write_seqlock_irqsave(s, flags) ((void)(flags), write_seqlock(s))
#define write_sequnlock_irqrestore(s, flags) ((void)(flags), write_sequnlock(s))
static inline void read_seqlock_excl(seqlock_t *s) { spin_lock(&s->lock); }
static inline void read_sequnlock_excl(seqlock_t *s) { spin_unlock(&s->lock); }

/* Objects that are released with their last reference. */
struct kref { refcount_t refcount; };
#define KREF_INIT(n) { REFCOUNT_INIT(n) }
static inline void kref_init(struct kref *k) { refcount_set(&k->refcount, 1); }
static inline unsigned kref_read(const struct kref *k) { return refcount_read(&k->refcount); }
static inline void kref_get(struct kref *k) { refcount_inc(&k->refcount); }
static inline int kref_put(struct kref *k, void (*release)(struct kref *)) {
  if (!refcount_dec_and_test(&k->refcount)) return 0;
  release(k);
  return 1;
}
static inline int kref_get_unless_zero(struct kref *k) { return refcount_inc_not_zero(&k->refcount); }

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

#define rcu_replace_pointer(p, new, c) \
  ({ __typeof__(*(p)) *__before = rcu_dereference_protected((p), (c)); \
     rcu_assign_pointer((p), (new)); \
     __before; })
#define rcu_read_lock_bh() rcu_read_lock()
#define rcu_read_unlock_bh() rcu_read_unlock()
#define rcu_dereference_bh(p) rcu_dereference(p)
