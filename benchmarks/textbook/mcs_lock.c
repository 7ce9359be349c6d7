// The queue lock of Mellor-Crummey and Scott: each thread waits at a node of its own. -DBROKEN announces the
// successor before its node waits.
//
// run: --check assert,memory,race
// expect: sc,tso,pso,power,aarch64,riscv,rc11=SAFE
//
// run: -DBROKEN
// expect: sc,tso,power,aarch64,rc11=UNSAFE

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

struct node {
  _Atomic(struct node *) next;
  atomic_int waits;
};

_Atomic(struct node *) tail;
int shared;

void lock(struct node *mine) {
  atomic_store_explicit(&mine->next, 0, memory_order_relaxed);
#ifndef BROKEN
  atomic_store_explicit(&mine->waits, 1, memory_order_relaxed);
#endif
  struct node *before = atomic_exchange_explicit(&tail, mine, memory_order_acq_rel);
  if (before) {
    atomic_store_explicit(&before->next, mine, memory_order_release);
#ifdef BROKEN
    atomic_store_explicit(&mine->waits, 0, memory_order_relaxed);
#endif
    while (atomic_load_explicit(&mine->waits, memory_order_acquire))
      ;
  }
}

void unlock(struct node *mine) {
  struct node *next = atomic_load_explicit(&mine->next, memory_order_acquire);
  if (!next) {
    struct node *expected = mine;
    if (atomic_compare_exchange_strong_explicit(&tail, &expected, 0, memory_order_release,
                                                memory_order_relaxed))
      return;
    while (!(next = atomic_load_explicit(&mine->next, memory_order_acquire)))
      ;
  }
  atomic_store_explicit(&next->waits, 0, memory_order_release);
}

void *worker(void *mine) {
  lock(mine);
  shared++;
  unlock(mine);
  return 0;
}

int main(void) {
  static struct node nodes[2];
  pthread_t t;
  pthread_create(&t, 0, worker, &nodes[1]);
  worker(&nodes[0]);
  pthread_join(t, 0);
  assert(shared == 2);
  return 0;
}
