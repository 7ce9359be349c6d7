// The queue of Michael and Scott: one thread puts, another one takes. Nodes are kept. -DBROKEN links a node before
// what is in it.
//
// run: --check assert,memory,race
// expect: sc,tso,power,aarch64,riscv,rc11=SAFE
//
// run: -DBROKEN
// expect: power,aarch64,riscv,rc11=UNSAFE

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#ifdef BROKEN
#define RELEASE memory_order_relaxed
#else
#define RELEASE memory_order_release
#endif

struct node {
  int value;
  _Atomic(struct node *) next;
};

struct node first;
_Atomic(struct node *) head = &first, tail = &first;

void put(int value) {
  struct node *n = malloc(sizeof *n);
  n->value = value;
  atomic_init(&n->next, 0);
  for (;;) {
    struct node *last = atomic_load_explicit(&tail, memory_order_acquire);
    struct node *next = atomic_load_explicit(&last->next, memory_order_acquire);
    if (next) {
      atomic_compare_exchange_strong_explicit(&tail, &last, next, memory_order_release,
                                              memory_order_relaxed);
      continue;
    }
    if (atomic_compare_exchange_strong_explicit(&last->next, &next, n, RELEASE,
                                                memory_order_relaxed)) {
      atomic_compare_exchange_strong_explicit(&tail, &last, n, memory_order_release,
                                              memory_order_relaxed);
      return;
    }
  }
}

int take(void) {
  for (;;) {
    struct node *old = atomic_load_explicit(&head, memory_order_acquire);
    struct node *next = atomic_load_explicit(&old->next, memory_order_acquire);
    if (!next)
      return 0;
    if (atomic_compare_exchange_strong_explicit(&head, &old, next, memory_order_acq_rel,
                                                memory_order_relaxed))
      return next->value;
  }
}

void *putter(void *arg) {
  put(1);
  put(2);
  return arg;
}

int main(void) {
  pthread_t t;
  pthread_create(&t, 0, putter, 0);
  int a = take(), b = take();
  assert(a == 0 ? b <= 1 : a == 1 && (b == 0 || b == 2));
  pthread_join(t, 0);
  return 0;
}
