// Each thread waits at a word of its own for the owner before it: one at a time is in the critical section,
// and sees what those before it did (kernel/locking/mcs_spinlock.h).
//
// RELAXED: the owner hands the lock over without a release
#include <linux/spinlock.h>
#ifdef RELAXED
#define arch_mcs_spin_unlock_contended(l) WRITE_ONCE(*(l), 1)
#endif
#include "kernel/locking/mcs_spinlock.h"
#include <pthread.h>

#ifndef THREADS
#define THREADS 2
#endif
static struct mcs_spinlock *lock;
static int x;

static void *section(void *unused) {
  struct mcs_spinlock node;
  mcs_spin_lock(&lock, &node);
  x++;
  mcs_spin_unlock(&lock, &node);
  return unused;
}

int main(void) {
  pthread_t threads[THREADS];
  for (int i = 0; i < THREADS; i++) pthread_create(&threads[i], 0, section, 0);
  for (int i = 0; i < THREADS; i++) pthread_join(threads[i], 0);
  assert(x == THREADS);
  assert(!lock);
  return 0;
}
