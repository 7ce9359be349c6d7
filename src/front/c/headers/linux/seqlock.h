/* The Linux kernel's sequence counters and locks. */
#ifndef __LINUX_SEQLOCK_H
#define __LINUX_SEQLOCK_H
#include <kernel.h>

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
#endif
