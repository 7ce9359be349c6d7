// Linux's sequence lock (include/linux/seqlock.h): the writer makes a counter odd, writes, makes it
// even; readers never block, they read again when the counter was odd or has changed.
//
// Checked: what a reader keeps was written together.
// Each side needs its two barriers as soon as a model swaps two stores (-DNO_BARRIERS: PSO), or two
// reads (RMO). On power2010 barriers for stores or reads alone do not pair, full ones (-DFULL) do.
//
// run: --unwind 2
// expect: sc,tso,pso,rmo,alpha,power=SAFE power2010=UNSAFE
//
// run: -DNO_BARRIERS --unwind 2
// expect: sc,tso=SAFE pso,rmo,alpha,power2010,power=UNSAFE
//
// run: -DFULL --unwind 2
// expect: all=SAFE
//
// run: -DNO_RETRY --unwind 2
// expect: all=UNSAFE

#include <kernel.h>
#include <pthread.h>

#if defined NO_BARRIERS
#define write_barrier() ((void)0)
#define read_barrier() ((void)0)
#elif defined FULL
#define write_barrier() smp_mb()
#define read_barrier() smp_mb()
#else
#define write_barrier() smp_wmb()
#define read_barrier() smp_rmb()
#endif

#ifndef WRITERS
#define WRITERS 2
#endif

typedef struct {
  unsigned sequence;
  spinlock_t lock;
} seqlock_t;

seqlock_t lock;
long seconds, nanoseconds;

static void write_seqlock(seqlock_t *sl) {
  spin_lock(&sl->lock);
#ifdef FULL
  smp_mb__after_spinlock();
#endif
  WRITE_ONCE(sl->sequence, sl->sequence + 1);
  write_barrier();
}

static void write_sequnlock(seqlock_t *sl) {
  write_barrier();
  WRITE_ONCE(sl->sequence, sl->sequence + 1);
#ifdef FULL
  smp_mb();
#endif
  spin_unlock(&sl->lock);
}

static unsigned read_seqbegin(const seqlock_t *sl) {
  unsigned start;
  while ((start = READ_ONCE(sl->sequence)) & 1) {
    cpu_relax();
  }
  read_barrier();
  return start;
}

static bool read_seqretry(const seqlock_t *sl, unsigned start) {
  read_barrier();
  return READ_ONCE(sl->sequence) != start;
}

void *writer(void *arg) {
  int i = *(int *)arg;
  write_seqlock(&lock);
  WRITE_ONCE(seconds, i);
  WRITE_ONCE(nanoseconds, 100 * i);
  write_sequnlock(&lock);
  return 0;
}

void *reader(void *arg) {
  unsigned start;
  long s, n;
  do {
    start = read_seqbegin(&lock);
    s = READ_ONCE(seconds);
    n = READ_ONCE(nanoseconds);
#ifdef NO_RETRY
    break;
#endif
  } while (read_seqretry(&lock, start));
  BUG_ON(n != 100 * s);
  return 0;
}

int main(void) {
  pthread_t r, w[WRITERS];
  int id[WRITERS];
  pthread_create(&r, 0, reader, 0);
  for (int i = 0; i < WRITERS; i++) {
    id[i] = i + 1;
    pthread_create(&w[i], 0, writer, &id[i]);
  }
  for (int i = 0; i < WRITERS; i++) {
    pthread_join(w[i], 0);
  }
  pthread_join(r, 0);
  BUG_ON(lock.sequence != 2 * WRITERS);
  return 0;
}
