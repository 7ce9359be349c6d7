// The queue lock of Mellor-Crummey and Scott (TOCS 9(1), 1991): each thread waits on a flag in its
// own node, the one before it in the queue lowers the flag.
//
// Checked: no increment of a plain counter is lost, and the lock is free at the end.
// The successor may have entered the queue without being linked yet: unlocking has to wait for the
// link. -DNO_WAIT leaves that out and follows a null pointer.
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
// run: -DNO_WAIT --unwind 3
// expect: all=UNSAFE
//
// run: --check race --unwind 3
// expect: all=SAFE

#include "orders.h"
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

#ifndef THREADS
#define THREADS 3
#endif
#ifndef ROUNDS
#define ROUNDS 1
#endif

typedef struct qnode {
  struct qnode *next;
  bool locked;
} qnode;

qnode nodes[THREADS];
qnode *tail;
int count;

static void acquire_lock(qnode **lock, qnode *mine) {
  __atomic_store_n(&mine->next, NULL, __ATOMIC_RELAXED);
  qnode *predecessor = __atomic_exchange_n(lock, mine, ACQ_REL);
  if (predecessor != NULL) {
    __atomic_store_n(&mine->locked, true, __ATOMIC_RELAXED);
    __atomic_store_n(&predecessor->next, mine, RELEASE);
    while (__atomic_load_n(&mine->locked, ACQUIRE)) {
    }
  }
}

static void release_lock(qnode **lock, qnode *mine) {
  qnode *successor = __atomic_load_n(&mine->next, ACQUIRE);
  if (successor == NULL) {
    qnode *expected = mine;
    if (__atomic_compare_exchange_n(lock, &expected, NULL, false, RELEASE, __ATOMIC_RELAXED)) {
      return;
    }
#ifndef NO_WAIT
    while ((successor = __atomic_load_n(&mine->next, ACQUIRE)) == NULL) {
    }
#endif
  }
  __atomic_store_n(&successor->locked, false, RELEASE);
}

void *worker(void *arg) {
  qnode *mine = arg;
  for (int round = 0; round < ROUNDS; round++) {
    acquire_lock(&tail, mine);
    count++;
    release_lock(&tail, mine);
  }
  return 0;
}

int main(void) {
  pthread_t threads[THREADS];
  for (int i = 0; i < THREADS; i++) {
    pthread_create(&threads[i], 0, worker, &nodes[i]);
  }
  for (int i = 0; i < THREADS; i++) {
    pthread_join(threads[i], 0);
  }
  assert(count == THREADS * ROUNDS && tail == NULL);
  return 0;
}
