// memcpy of a computed size that is no whole number of what a pointer points to.
//
// run: --unwind 10
// expect: sc,tso=SAFE
//
// run: --unwind 10 -DWRONG
// expect: sc=UNSAFE
//
// run: --unwind 10 -DFAR
// expect: sc=UNSAFE
#include <assert.h>
#include <stdlib.h>
#include <string.h>

typedef struct node {
  struct node *next;
} node;

struct queue {
  node *head;
  size_t item_size;
};

static void push(struct queue *q, void *data) {
  node *new_head = malloc(sizeof(node) + q->item_size);
  if (!new_head) exit(1);
  new_head->next = q->head;
  memcpy(new_head + 1, data, q->item_size);
  q->head = new_head;
}

static void front(struct queue *q, void *data) {
#ifdef FAR
  memcpy(data, (void *)(q->head + 1), q->item_size + 3);
#else
  memcpy(data, (void *)(q->head + 1), q->item_size);
#endif
}

struct three {
  int a, b, c;
};

int main(void) {
  struct queue ints = {0, sizeof(int)}, threes = {0, sizeof(struct three)};
  int i = 42, j = 1;
  push(&ints, &i);
  front(&ints, &j);
  struct three x = {1, 2, 3}, y = {0, 0, 0};
  push(&threes, &x);
  front(&threes, &y);
#ifdef WRONG
  assert(y.c != 3);
#else
  assert(j == 42 && y.a == 1 && y.b == 2 && y.c == 3);
#endif
  return 0;
}
