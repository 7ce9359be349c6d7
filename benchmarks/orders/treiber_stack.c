// Treiber's stack: one thread pushes, the other one pops. Every order is seq_cst.

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

struct node {
  int value;
  struct node *next;
};

struct node nodes[2];
_Atomic(struct node *) top;

void push(struct node *node, int value) {
  node->value = value;
  struct node *old = atomic_load(&top);
  do
    node->next = old;
  while (!atomic_compare_exchange_strong(&top, &old, node));
}

int pop(void) {
  struct node *old = atomic_load(&top);
  while (old && !atomic_compare_exchange_strong(&top, &old, old->next))
    ;
  return old ? old->value : -1;
}

void *first(void *arg) {
  push(&nodes[0], 1);
  push(&nodes[1], 2);
  return 0;
}

void *second(void *arg) {
  int a = pop(), b = pop();
  assert(a != 0 && b != 0);
  assert(a == -1 || a != b);
  return 0;
}

int main(void) {
  pthread_t t, u;
  pthread_create(&t, 0, first, 0);
  pthread_create(&u, 0, second, 0);
  pthread_join(t, 0);
  pthread_join(u, 0);
  return 0;
}
