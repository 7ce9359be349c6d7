// The queue lock of Mellor-Crummey and Scott. Every order is seq_cst.

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
  atomic_store(&mine->next, 0);
  atomic_store(&mine->waits, 1);
  struct node *before = atomic_exchange(&tail, mine);
  if (before) {
    atomic_store(&before->next, mine);
    while (atomic_load(&mine->waits))
      ;
  }
}

void unlock(struct node *mine) {
  struct node *next = atomic_load(&mine->next);
  if (!next) {
    struct node *expected = mine;
    if (atomic_compare_exchange_strong(&tail, &expected, 0))
      return;
    while (!(next = atomic_load(&mine->next)))
      ;
  }
  atomic_store(&next->waits, 0);
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
