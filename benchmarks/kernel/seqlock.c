// Readers see all of a writer's stores or none (include/linux/seqlock.h).
//
// LATCH:       two copies, of which readers use the one that is not written (seqcount_latch_t)
// MARKED:      the accesses of the counter are marked ones. As it is the counter is incremented by a plain
//              access, of which the kernel tells its own checker of races that it is atomic
// NO_RETRY:    a reader does not look whether a writer came between
#ifdef MARKED
#include <linux/spinlock.h>
#define unsigned volatile unsigned
#include "include/linux/seqlock_types.h"
#undef unsigned
#endif
#include "include/linux/seqlock.h"
#include <pthread.h>

static int x, y;
#ifdef LATCH
static seqcount_latch_t latch = SEQCNT_LATCH_ZERO(latch);
static struct { int x, y; } copies[2];
static void *write(void *unused) {
  for (int i = 0; i < 2; i++) {
    raw_write_seqcount_latch(&latch);
    WRITE_ONCE(copies[i].x, 1);
    WRITE_ONCE(copies[i].y, 1);
  }
  return unused;
}
static void read(void) {
  unsigned seq;
  int a, b;
  do {
    seq = raw_read_seqcount_latch(&latch);
    a = READ_ONCE(copies[seq & 1].x);
    b = READ_ONCE(copies[seq & 1].y);
#ifdef NO_RETRY
    break;
#endif
  } while (raw_read_seqcount_latch_retry(&latch, seq));
  assert(a == b);
}
#else
static DEFINE_SEQLOCK(lock);
static void *write(void *unused) {
  write_seqlock(&lock);
  WRITE_ONCE(x, READ_ONCE(x) + 1);
  WRITE_ONCE(y, READ_ONCE(y) + 1);
  write_sequnlock(&lock);
  return unused;
}
static void read(void) {
  unsigned seq;
  int a, b;
  do {
    seq = read_seqbegin(&lock);
    a = READ_ONCE(x);
    b = READ_ONCE(y);
#ifdef NO_RETRY
    break;
#endif
  } while (read_seqretry(&lock, seq));
  assert(a == b);
}
#endif

int main(void) {
  pthread_t threads[2];
  pthread_create(&threads[0], 0, write, 0);
#ifndef LATCH
  pthread_create(&threads[1], 0, write, 0);
#endif
  read();
  pthread_join(threads[0], 0);
#ifndef LATCH
  pthread_join(threads[1], 0);
  assert(x == 2 && y == 2);
#endif
  return 0;
}
