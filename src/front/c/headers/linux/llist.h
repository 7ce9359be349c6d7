/* The Linux kernel's lists that need no lock. */
#ifndef LLIST_H
#define LLIST_H
#include <kernel.h>

/* Lists that need no lock: any number of threads add, and take all at once. */
struct llist_node { struct llist_node *next; };
struct llist_head { struct llist_node *first; };
#define LLIST_HEAD_INIT(name) { 0 }
#define LLIST_HEAD(name) struct llist_head name = LLIST_HEAD_INIT(name)
static inline void init_llist_head(struct llist_head *list) { list->first = 0; }
static inline _Bool llist_empty(const struct llist_head *head) { return READ_ONCE(head->first) == 0; }
static inline struct llist_node *llist_next(struct llist_node *node) { return READ_ONCE(node->next); }
static inline _Bool llist_add_batch(struct llist_node *first, struct llist_node *last, struct llist_head *head) {
  struct llist_node *old = READ_ONCE(head->first);
  for (;;) {
    last->next = old;
    struct llist_node *found = cmpxchg(&head->first, old, first);
    if (found == old) return !old;
    old = found;
  }
}
static inline _Bool llist_add(struct llist_node *entry, struct llist_head *head) {
  return llist_add_batch(entry, entry, head);
}
static inline struct llist_node *llist_del_all(struct llist_head *head) { return xchg(&head->first, (struct llist_node *)0); }
#define llist_entry(p, type, member) container_of(p, type, member)
#define llist_for_each(p, node) for ((p) = (node); (p); (p) = READ_ONCE((p)->next))
#endif
