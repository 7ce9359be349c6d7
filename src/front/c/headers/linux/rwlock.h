/* The Linux kernel's reader-writer locks. */
#pragma once
#include <kernel.h>

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
