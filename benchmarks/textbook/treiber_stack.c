// Treiber's stack: threads push a node each and pop one. What is popped is kept, so that no address comes
// back. -DBROKEN publishes a node before what is in it.
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
  struct node *next;
};

_Atomic(struct node *) top;
int popped[2];

void push(int value) {
  struct node *n = malloc(sizeof *n);
  n->value = value;
  struct node *old = atomic_load_explicit(&top, memory_order_relaxed);
  do
    n->next = old;
  while (!atomic_compare_exchange_strong_explicit(&top, &old, n, RELEASE, memory_order_relaxed));
}

int pop(void) {
  struct node *n = atomic_load_explicit(&top, memory_order_acquire);
  while (n && !atomic_compare_exchange_strong_explicit(&top, &n, n->next, memory_order_acquire,
                                                       memory_order_acquire))
    ;
  return n ? n->value : 0;
}

void *worker(void *arg) {
  int i = arg != 0;
  push(i + 1);
  popped[i] = pop();
  return 0;
}

int main(void) {
  pthread_t t;
  pthread_create(&t, 0, worker, &popped);
  worker(0);
  pthread_join(t, 0);
  assert(popped[0] + popped[1] == 3 && popped[0] * popped[1] == 2);
  return 0;
}
