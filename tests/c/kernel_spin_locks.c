// Locks as the kernel has them, written with its own operations: a test-and-set lock, one that looks
// first, a ticket lock, an MCS lock. All are proved without a bound. With -DRELAXED the test-and-set lock
// does not acquire.
//
// run: -DTAS
// expect: lkmm,tso,power,aarch64,riscv=SAFE
//
// run: -DTTAS
// expect: lkmm,tso,power,aarch64,riscv=SAFE
//
// run: -DTICKET
// expect: lkmm,tso,power,aarch64,riscv=SAFE
//
// run: -DMCS
// expect: lkmm,tso,power,aarch64,riscv=SAFE
//
// run: -DTAS -DRELAXED
// expect: lkmm,power,aarch64,riscv=UNSAFE

#include <kernel.h>
#include <pthread.h>

#ifndef THREADS
#define THREADS 2
#endif

#if defined TAS || defined TTAS
atomic_t taken;
static void lock(long me) {
#ifdef RELAXED
  while (atomic_xchg_relaxed(&taken, 1)) cpu_relax();
#elif defined TTAS
  do {
    while (atomic_read(&taken)) cpu_relax();
  } while (atomic_xchg_acquire(&taken, 1));
#else
  while (atomic_xchg_acquire(&taken, 1)) cpu_relax();
#endif
}
static void unlock(long me) { atomic_set_release(&taken, 0); }

#elif defined TICKET
atomic_t next;
int owner;
static void lock(long me) {
  int ticket = atomic_fetch_add_relaxed(1, &next);
  smp_cond_load_acquire(&owner, VAL == ticket);
}
static void unlock(long me) { smp_store_release(&owner, owner + 1); }

#elif defined MCS
struct mcs_spinlock {
  struct mcs_spinlock *next;
  int locked;
};
struct mcs_spinlock *tail, nodes[THREADS];
static void lock(long me) {
  struct mcs_spinlock *node = &nodes[me], *prev;
  node->locked = 0;
  node->next = 0;
  prev = xchg(&tail, node);
  if (!prev) return;
  WRITE_ONCE(prev->next, node);
  while (!smp_load_acquire(&node->locked)) cpu_relax();
}
static void unlock(long me) {
  struct mcs_spinlock *node = &nodes[me], *next = READ_ONCE(node->next);
  if (!next) {
    if (cmpxchg_release(&tail, node, 0) == node) return;
    while (!(next = READ_ONCE(node->next))) cpu_relax();
  }
  smp_store_release(&next->locked, 1);
}
#endif

int count;

void *worker(void *me) {
  lock((long)me);
  count++;
  unlock((long)me);
  return 0;
}

int main(void) {
  pthread_t threads[THREADS];
  for (long i = 0; i < THREADS; i++) pthread_create(&threads[i], 0, worker, (void *)i);
  for (int i = 0; i < THREADS; i++) pthread_join(threads[i], 0);
  BUG_ON(count != THREADS);
  return 0;
}
