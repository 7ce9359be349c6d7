// Each thread pushes a node with static storage that it alone has, with the failed compare-exchange writing
// what is expected next into the node; who has joined all counts them. A failed round leaves nothing that
// another thread comes to.
//
// expect: all=SAFE
//
// run: -DLOST
// expect: all=UNSAFE

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

struct node {
  struct node *next;
};
_Atomic(struct node *) list;
struct node nodes[2];

void *push(void *arg) {
  struct node *node = arg;
  node->next = atomic_load(&list);
#ifdef LOST
  atomic_store(&list, node);
#else
  while (!atomic_compare_exchange_weak(&list, &node->next, node)) {
  }
#endif
  return 0;
}

int main(void) {
  pthread_t threads[2];
  for (int i = 0; i < 2; i++) pthread_create(&threads[i], 0, push, &nodes[i]);
  for (int i = 0; i < 2; i++) pthread_join(threads[i], 0);
  int count = 0;
  for (struct node *node = list; node; node = node->next) count++;
  assert(count == 2);
  return 0;
}
