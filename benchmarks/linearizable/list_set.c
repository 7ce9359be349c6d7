// A set as an ordered list (Harris, DISC 2001; Michael, SPAA 2002). The lowest bit of a node's link says that the
// node is deleted; such a node is then unlinked, and kept. -DNO_MARK unlinks a node without this mark.
// -DIGNORE_MARK lets an insertion change the link of a deleted node. -DNO_RECHECK looks for the key before the
// first try to insert it only.
//
// run: --linearizable --parallel add(1),del(1);add(1),has(1)
// expect: sc,rc11=SAFE
//
// run: --linearizable --setup add(1),add(2) --parallel del(1);add(2),del(2);has(2)
// expect: sc,rc11=SAFE
//
// run: --linearizable --setup add(1),add(2) --parallel del(1);del(2);add(3)
// expect: sc,rc11=SAFE
//
// run: --linearizable --setup add(1) --parallel del(1);add(2),has(2) -DNO_MARK
// expect: sc,rc11=UNSAFE
//
// run: --linearizable --setup add(1) --parallel del(1);add(2),has(2) -DIGNORE_MARK
// expect: sc,rc11=UNSAFE
//
// run: --linearizable --parallel add(1);add(1) -DNO_RECHECK
// expect: sc,rc11=UNSAFE

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#define MARK ((uintptr_t)1)

#ifdef NO_RECHECK
#define RECHECK 0
#else
#define RECHECK 1
#endif

struct node {
  int key;
  // The address of the next node, and MARK.
  atomic_uintptr_t next;
};

atomic_uintptr_t first;

static struct node *node_of(uintptr_t link) {
  return (struct node *)(link & ~MARK);
}

// Finds the first node with a key that is not smaller, and the link to it; unlinks deleted nodes on its way.
static struct node *find(int key, atomic_uintptr_t **at) {
again:
  for (atomic_uintptr_t *prev = &first;;) {
    uintptr_t link = atomic_load_explicit(prev, memory_order_acquire);
    struct node *node = node_of(link);
    *at = prev;
    if (!node)
      return 0;
    uintptr_t next = atomic_load_explicit(&node->next, memory_order_acquire);
    if (next & MARK) {
      link &= ~MARK;
      if (!atomic_compare_exchange_strong_explicit(prev, &link, next & ~MARK, memory_order_release,
                                                   memory_order_relaxed))
        goto again;
      continue;
    }
    if (node->key >= key)
      return node;
    prev = &node->next;
  }
}

bool add(int key) {
  struct node *new = malloc(sizeof *new);
  new->key = key;
  for (bool is_first = true;; is_first = false) {
    atomic_uintptr_t *at;
    struct node *node = find(key, &at);
    if ((is_first || RECHECK) && node && node->key == key)
      return false;
    atomic_init(&new->next, (uintptr_t)node);
    uintptr_t link = (uintptr_t)node;
#ifdef IGNORE_MARK
    if (node_of(atomic_load_explicit(at, memory_order_relaxed)) == node)
      link = atomic_load_explicit(at, memory_order_relaxed);
#endif
    if (atomic_compare_exchange_strong_explicit(at, &link, (uintptr_t)new, memory_order_release,
                                                memory_order_relaxed))
      return true;
  }
}

bool del(int key) {
  for (;;) {
    atomic_uintptr_t *at;
    struct node *node = find(key, &at);
    if (!node || node->key != key)
      return false;
    uintptr_t next = atomic_load_explicit(&node->next, memory_order_acquire);
    if (next & MARK)
      continue;
    uintptr_t link = (uintptr_t)node;
#ifdef NO_MARK
    if (atomic_compare_exchange_strong_explicit(at, &link, next, memory_order_release, memory_order_relaxed))
      return true;
#else
    if (!atomic_compare_exchange_strong_explicit(&node->next, &next, next | MARK, memory_order_release,
                                                 memory_order_relaxed))
      continue;
    // If this fails, another search unlinks the node.
    atomic_compare_exchange_strong_explicit(at, &link, next, memory_order_release, memory_order_relaxed);
    return true;
#endif
  }
}

bool has(int key) {
  uintptr_t link = atomic_load_explicit(&first, memory_order_acquire);
  for (;;) {
    struct node *node = node_of(link);
    if (!node || node->key > key)
      return false;
    link = atomic_load_explicit(&node->next, memory_order_acquire);
    if (node->key == key)
      return !(link & MARK);
  }
}
