// The queue of Michael and Scott (PODC 1996) with nodes that are not used again: enqueuing links a
// node behind the last and then swings the tail, and whoever meets a tail that lags behind helps.
//
// Checked: a dequeued value was enqueued, and every value comes out once.
// The value and the link are written before the node is published, so release and acquire suffice.
// A relaxed compare-and-swap that links a node lets its value be seen late where it is no fence
// (-DWEAK, from RMO on).
// -DNO_LINK_CHECK swings the tail without having linked the node, which loses the other's.
//
// The compare-and-swaps are weak. That one fails for no reason leaves more to help with: a round
// more may be needed, which the machine rules out where it has a compare-and-swap.
//
// run: --unwind 2 --weak-cas machine
// expect: sc,tso,pso,rmo=SAFE alpha=HOLDS
//
// run: --unwind 2
// expect: sc=HOLDS
//
// run: -DWEAK --unwind 2 --weak-cas machine
// expect: sc,tso,pso=SAFE rmo,alpha,power2010,power=UNSAFE
//
// run: -DNO_LINK_CHECK --unwind 2 --weak-cas machine
// expect: sc,tso,pso,rmo,alpha,power2010=UNSAFE
//
// run: -DSTRONG --unwind 2 --weak-cas machine
// expect: sc,tso,pso,rmo=SAFE alpha,power2010=HOLDS

#include "orders.h"
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>

typedef struct node {
  int value;
  struct node *next;
} node_t;

struct {
  node_t *head, *tail;
} queue;

static void initialize(void) {
  node_t *dummy = malloc(sizeof *dummy);
  dummy->next = NULL;
  queue.head = queue.tail = dummy;
}

static void enqueue(int value) {
  node_t *node = malloc(sizeof *node), *tail;
  node->value = value;
  __atomic_store_n(&node->next, NULL, __ATOMIC_RELAXED);
  for (;;) {
    tail = __atomic_load_n(&queue.tail, ACQUIRE);
    node_t *next = __atomic_load_n(&tail->next, ACQUIRE);
    if (tail != __atomic_load_n(&queue.tail, ACQUIRE)) {
      continue;
    }
    if (next == NULL) {
#ifdef NO_LINK_CHECK
      __atomic_store_n(&tail->next, node, RELEASE);
      break;
#endif
      if (__atomic_compare_exchange_n(&tail->next, &next, node, true, RELEASE, RELAXED)) {
        break;
      }
    } else {
      __atomic_compare_exchange_n(&queue.tail, &tail, next, true, RELEASE, RELAXED);
    }
  }
  __atomic_compare_exchange_n(&queue.tail, &tail, node, true, RELEASE, RELAXED);
}

static bool dequeue(int *value) {
  for (;;) {
    node_t *head = __atomic_load_n(&queue.head, ACQUIRE);
    node_t *tail = __atomic_load_n(&queue.tail, ACQUIRE);
    node_t *next = __atomic_load_n(&head->next, ACQUIRE);
    if (head != __atomic_load_n(&queue.head, ACQUIRE)) {
      continue;
    }
    if (head == tail) {
      if (next == NULL) {
        return false;
      }
      __atomic_compare_exchange_n(&queue.tail, &tail, next, true, RELEASE, RELAXED);
    } else {
      *value = next->value;
      if (__atomic_compare_exchange_n(&queue.head, &head, next, true, RELEASE, RELAXED)) {
        return true;
      }
    }
  }
}

int taken[2];

void *producer(void *arg) {
  enqueue(11);
  return 0;
}

void *consumer(void *arg) {
  int value = 0;
  if (dequeue(&value)) {
    assert(value == 11 || value == 21);
    taken[value / 10 - 1]++;
  }
  return 0;
}

int main(void) {
  pthread_t p, c;
  initialize();
  pthread_create(&p, 0, producer, 0);
  pthread_create(&c, 0, consumer, 0);
  enqueue(21);
  pthread_join(p, 0);
  pthread_join(c, 0);
  int value;
  while (dequeue(&value)) {
    assert(value == 11 || value == 21);
    taken[value / 10 - 1]++;
  }
  assert(taken[0] == 1 && taken[1] == 1);
  return 0;
}
