// Elements that several threads add and others take: none is lost, none is taken twice, and whoever takes
// one sees what was written to it before it was added (lib/llist.c, include/linux/llist.h).
//
// BATCH:    the consumer takes all at once, and puts them in the order of their adding
// TWO:      two consumers use llist_del_first() without a lock, which the comment at its head forbids
// Without either, one consumer takes the first.
#include "include/linux/llist.h"
#include "lib/llist.c"
#include <pthread.h>

struct item {
  int value;
  int taken;
  struct llist_node node;
};
static struct item items[2];
static LLIST_HEAD(list);

static void *add(void *data) {
  struct item *i = data;
  i->value = 7;
  llist_add(&i->node, &list);
  return 0;
}

static int take(struct llist_node *node) {
  struct item *i = llist_entry(node, struct item, node);
  assert(i->value == 7);
  assert(!i->taken);
  i->taken = 1;
  return 1;
}

#ifdef TWO
// The second element is taken and added again while the first consumer is between its two steps.
static void *other(void *unused) {
  struct llist_node *a = llist_del_first(&list);
  struct llist_node *b = llist_del_first(&list);
  if (a && b) {
    llist_add(a, &list);
    assert(llist_entry(b, struct item, node)->taken == 0);
    llist_entry(b, struct item, node)->taken = 1;
  }
  return unused;
}
int main(void) {
  pthread_t thread;
  struct llist_node *node;
  add(&items[0]);
  add(&items[1]);
  pthread_create(&thread, 0, other, 0);
  node = llist_del_first(&list);
  pthread_join(thread, 0);
  // What is left in the list was not taken.
  for (node = llist_del_all(&list); node; node = llist_next(node))
    assert(!llist_entry(node, struct item, node)->taken);
  return 0;
}
#else
static int take_some(void) {
  int count = 0;
#ifdef BATCH
  struct llist_node *next, *node = llist_reverse_order(llist_del_all(&list));
  for (; node; node = next) {
    next = llist_next(node);
    count += take(node);
  }
#else
  struct llist_node *node = llist_del_first(&list);
  if (node) count += take(node);
#endif
  return count;
}

int main(void) {
  pthread_t threads[2];
  int count;
  pthread_create(&threads[0], 0, add, &items[0]);
  pthread_create(&threads[1], 0, add, &items[1]);
  count = take_some();
  pthread_join(threads[0], 0);
  pthread_join(threads[1], 0);
  count += take_some();
  count += take_some();
  assert(count == 2);
  assert(llist_empty(&list));
  return 0;
}
#endif
