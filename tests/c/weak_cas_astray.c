// A weak compare-exchange through a pointer that is not initialised yet: whether it fails for no reason and
// what it finds there are both arbitrary, and are taken in one order in all places.
//
// run: --weak-cas machine
// expect: all=UNSAFE

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct node {
  atomic_int value;
  _Atomic(struct node *) next;
};

_Atomic(struct node *) head;
int found;

void *publish(void *arg) {
  struct node *n = malloc(sizeof *n);
  struct node *last = malloc(sizeof *last);
  atomic_init(&last->value, 1);
  atomic_init(&last->next, 0);
  atomic_store_explicit(&head, n, memory_order_relaxed);
  atomic_store_explicit(&n->next, last, memory_order_relaxed);
  return 0;
}

void *change(void *arg) {
  struct node *n = atomic_load_explicit(&head, memory_order_relaxed);
  if (n) {
    struct node *next = atomic_load_explicit(&n->next, memory_order_relaxed);
    int one = 1;
    found = atomic_compare_exchange_weak_explicit(&next->value, &one, 2, memory_order_relaxed,
                                                  memory_order_relaxed);
    assert(found);
  }
  return 0;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, publish, 0);
  pthread_create(&b, 0, change, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  return 0;
}
