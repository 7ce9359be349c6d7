// Nodes are pushed on a list with release and taken all at once with acquire: who gets a node, gets
// everything that was written before it was pushed.
//
// run: --check race --unwind 3
// expect: all=SAFE

#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

struct node {
  int value;
  struct node *next;
} nodes[2];
_Atomic(struct node *) list;

void *producer(void *arg) {
  struct node *n = arg, *first = atomic_load_explicit(&list, memory_order_relaxed);
  n->value = 5;
  do {
    n->next = first;
  } while (!atomic_compare_exchange_strong_explicit(&list, &first, n, memory_order_release, memory_order_relaxed));
  return 0;
}

int main(void) {
  pthread_t a, b;
  int sum = 0;
  pthread_create(&a, 0, producer, &nodes[0]);
  pthread_create(&b, 0, producer, &nodes[1]);
  struct node *n = atomic_exchange_explicit(&list, NULL, memory_order_acquire);
  for (; n; n = n->next) {
    sum += n->value;
    n->value = 0;
  }
  pthread_join(a, 0);
  pthread_join(b, 0);
  return sum > 10;
}
