// A stack of Treiber, without a main: setup, threads and a check are named on the command line.
// The node of a push is its own; the value that is popped is one that was pushed.
// run: --setup init --parallel push,push --finally check
// expect: sc,tso=SAFE
// run: --setup init --parallel push_racy,push_racy --finally check
// expect: sc,tso=UNSAFE
// run: --setup init --parallel push,pop
// expect: sc,tso,power=SAFE
// run: --setup init --parallel push_racy,push_racy
// expect: sc=UNSAFE
#include <assert.h>
#include <stdatomic.h>
#include <stddef.h>
struct node { int value; struct node *next; };
struct stack { _Atomic(struct node *) top; _Atomic int pushed; };

void init(struct stack *s) {
  atomic_store(&s->top, NULL);
  atomic_store(&s->pushed, 0);
}

void push(struct stack *s, struct node *n) {
  struct node *top = atomic_load(&s->top);
  do n->next = top;
  while (!atomic_compare_exchange_strong(&s->top, &top, n));
  atomic_fetch_add(&s->pushed, 1);
}

static int plain;
void push_racy(struct stack *s, struct node *n) {
  n->next = atomic_load(&s->top);
  atomic_store(&s->top, n);
  atomic_fetch_add(&s->pushed, 1);
  plain++;
}

struct node *pop(struct stack *s) {
  struct node *top = atomic_load(&s->top);
  while (top && !atomic_compare_exchange_strong(&s->top, &top, top->next)) {}
  return top;
}

void check(struct stack *s) {
  int n = 0;
  for (struct node *i = atomic_load(&s->top); i; i = i->next) n++;
  assert(n == atomic_load(&s->pushed));
}
