// Treiber's stack, pushed to by three threads: the field `next` of the new node is what the compare-exchange
// expects, and where a failed one puts what it has read. -DBROKEN publishes the node without a release.
//
// run: --check assert,memory,race
// expect: sc,tso,pso,power,aarch64,riscv,rc11=SAFE
//
// run: --check race -DBROKEN
// expect: sc,tso,pso,power,aarch64,riscv,rc11=UNSAFE

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#define N 3

#ifdef BROKEN
#define PUBLISH memory_order_relaxed
#else
#define PUBLISH memory_order_release
#endif

struct node {
  struct node *next;
  int value;
};

_Atomic(struct node *) top;

void *push(void *arg) {
  struct node *node = malloc(sizeof *node);
  node->value = 1;
  node->next = atomic_load_explicit(&top, memory_order_relaxed);
  while (!atomic_compare_exchange_weak_explicit(&top, &node->next, node, PUBLISH, memory_order_relaxed))
    ;
  return 0;
}

int main(void) {
  pthread_t t[N];
  int sum = 0;
  for (int i = 0; i < N; i++)
    pthread_create(&t[i], 0, push, 0);
  struct node *first = atomic_load_explicit(&top, memory_order_acquire);
  if (first)
    assert(first->value == 1);
  for (int i = 0; i < N; i++)
    pthread_join(t[i], 0);
  for (struct node *n = top; n; n = n->next)
    sum += n->value;
  assert(sum == N);
  return 0;
}
