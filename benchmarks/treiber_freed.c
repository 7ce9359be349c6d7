// Treiber's stack whose nodes are given back: three nodes, two threads. One is to take the first node; when
// the other one has taken two, given the first back and put a new one where that was, the compare-exchange
// succeeds, and a node is on the stack that was taken (ABA).
//
// run: --check assert --unwind 3
// expect: all=UNSAFE
//
// run: --check assert --unwind 3 --reuse-addresses false
// expect: all=UNKNOWN
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
struct node { struct node *next; int used; };
struct node *_Atomic top;
static void push(struct node *n) {
  struct node *t = atomic_load(&top);
  do n->next = t; while (!atomic_compare_exchange_strong(&top, &t, n));
}
static struct node *pop(void) {
  struct node *t = atomic_load(&top);
  while (t && !atomic_compare_exchange_strong(&top, &t, t->next)) ;
  return t;
}
static void *one(void *arg) { pop(); return 0; }
static void *two(void *arg) {
  struct node *a = pop(), *b = pop();
  if (!a || !b) return 0;
  b->used = 1;
  free(a);
  struct node *n = calloc(1, sizeof *n);
  push(n);
  return 0;
}
int main(void) {
  for (int i = 0; i < 3; i++) push(calloc(1, sizeof(struct node)));
  pthread_t t, u;
  pthread_create(&t, 0, one, 0);
  pthread_create(&u, 0, two, 0);
  pthread_join(t, 0); pthread_join(u, 0);
  struct node *n = pop();
  assert(!n || !n->used);
  n = pop();
  assert(!n || !n->used);
  return 0;
}
