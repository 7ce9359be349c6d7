// The queue lock of Craig (1993) and of Landin and Hagersten (1994): a thread swaps its node into the
// tail, waits on the flag in its predecessor's node and keeps that node for its next turn. With the
// threads and thread-local storage of C11.
//
// Checked: no increment of a plain counter is lost, and nobody holds two nodes or none.
//
// run: --unwind 3
// expect: sc,tso,pso,rmo,alpha,power=SAFE power2010=UNSAFE
//
// run: -DWEAK --unwind 3
// expect: sc,tso=SAFE pso,rmo,alpha,power2010,power=UNSAFE
//
// run: -DSTRONG --unwind 3
// expect: all=SAFE
//
// run: --check race --unwind 3
// expect: sc,tso,pso,rmo,alpha,power=SAFE power2010=UNSAFE
//
// run: --check race -DWEAK --unwind 3
// expect: all=UNSAFE

#include "orders.h"
#include <assert.h>
#include <stdatomic.h>
#include <threads.h>

#ifndef THREADS
#define THREADS 2
#endif
#ifndef ROUNDS
#define ROUNDS 2
#endif

struct node {
  atomic_bool succ_must_wait;
};

struct node nodes[THREADS + 1];
_Atomic(struct node *) tail = &nodes[THREADS];
thread_local struct node *mine, *predecessor;
int count;

static void lock(void) {
  atomic_store_explicit(&mine->succ_must_wait, 1, RELAXED);
  predecessor = atomic_exchange_explicit(&tail, mine, ACQ_REL);
  while (atomic_load_explicit(&predecessor->succ_must_wait, ACQUIRE)) {
    thrd_yield();
  }
}

static void unlock(void) {
  atomic_store_explicit(&mine->succ_must_wait, 0, RELEASE);
  mine = predecessor;
}

int worker(void *arg) {
  mine = arg;
  for (int round = 0; round < ROUNDS; round++) {
    lock();
    count++;
    unlock();
  }
  return mine - nodes;
}

int main(void) {
  thrd_t threads[THREADS];
  int left = (THREADS + 1) * THREADS / 2;
  for (int i = 0; i < THREADS; i++) {
    thrd_create(&threads[i], worker, &nodes[i]);
  }
  for (int i = 0; i < THREADS; i++) {
    int node;
    thrd_join(threads[i], &node);
    left -= node;
  }
  assert(count == THREADS * ROUNDS);
  assert(&nodes[left] == atomic_load(&tail));
  return 0;
}
