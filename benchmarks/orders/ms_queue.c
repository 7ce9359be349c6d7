// The queue of Michael and Scott: one thread puts two values, the other one takes. Every order is seq_cst.

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

struct node {
  int value;
  _Atomic(struct node *) next;
};

struct node nodes[3];
_Atomic(struct node *) head = &nodes[0], tail = &nodes[0];

void put(struct node *node, int value) {
  node->value = value;
  atomic_store(&node->next, 0);
  for (;;) {
    struct node *last = atomic_load(&tail);
    struct node *next = atomic_load(&last->next);
    if (next) {
      atomic_compare_exchange_strong(&tail, &last, next);
      continue;
    }
    struct node *none = 0;
    if (atomic_compare_exchange_strong(&last->next, &none, node)) {
      atomic_compare_exchange_strong(&tail, &last, node);
      return;
    }
  }
}

int take(void) {
  for (;;) {
    struct node *first = atomic_load(&head);
    struct node *last = atomic_load(&tail);
    struct node *next = atomic_load(&first->next);
    if (first != atomic_load(&head))
      continue;
    if (!next)
      return 0;
    if (first == last) {
      atomic_compare_exchange_strong(&tail, &last, next);
      continue;
    }
    int value = next->value;
    if (atomic_compare_exchange_strong(&head, &first, next))
      return value;
  }
}

void *producer(void *arg) {
  put(&nodes[1], 1);
  put(&nodes[2], 2);
  return 0;
}

int main(void) {
  pthread_t t;
  pthread_create(&t, 0, producer, 0);
  int a = take(), b = take();
  assert(a != 2);
  assert(b != 1 || a == 0);
  assert(b != 2 || a == 1);
  return 0;
}
