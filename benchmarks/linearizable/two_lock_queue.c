// The queue with two locks of Michael and Scott (PODC 1996): one for those who put, one for those who take. They
// meet at the link of a node when the queue is empty, so this is atomic. -DPLAIN makes it an ordinary pointer.
// -DNO_LOCK takes without the lock, and then frees a node that another thread looks at.
//
// run: --linearizable --setup init --parallel put(1),take;put(2),take
// expect: sc,rc11=SAFE
//
// run: --linearizable --setup init --parallel put(1),put(2);take,take;put(3),take
// expect: sc,rc11=SAFE
//
// run: --linearizable --setup init --parallel put(1);take -DPLAIN
// expect: sc=SAFE rc11=UNSAFE
//
// run: --linearizable --setup init,put(1) --parallel take;take -DNO_LOCK
// expect: sc,rc11=UNSAFE

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct node {
  int value;
#ifdef PLAIN
  struct node *next;
#else
  _Atomic(struct node *) next;
#endif
};

struct node *head, *tail;
pthread_mutex_t head_lock, tail_lock;

void init(void) {
  head = tail = calloc(1, sizeof *head);
  pthread_mutex_init(&head_lock, 0);
  pthread_mutex_init(&tail_lock, 0);
}

void put(int value) {
  struct node *n = calloc(1, sizeof *n);
  n->value = value;
  pthread_mutex_lock(&tail_lock);
#ifdef PLAIN
  tail->next = n;
#else
  atomic_store_explicit(&tail->next, n, memory_order_release);
#endif
  tail = n;
  pthread_mutex_unlock(&tail_lock);
}

// 0 if the queue is empty.
int take(void) {
  int value = 0;
#ifndef NO_LOCK
  pthread_mutex_lock(&head_lock);
#endif
  struct node *old = head;
#ifdef PLAIN
  struct node *next = old->next;
#else
  struct node *next = atomic_load_explicit(&old->next, memory_order_acquire);
#endif
  if (next) {
    value = next->value;
    head = next;
    free(old);
  }
#ifndef NO_LOCK
  pthread_mutex_unlock(&head_lock);
#endif
  return value;
}
