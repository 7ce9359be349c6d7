// Memory that is used as another type than its size is computed from.
//
// run: --unwind 10
// expect: sc,tso=SAFE
//
// run: --unwind 10 -DWRONG
// expect: sc,tso=UNSAFE
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

struct node {
  void *data;
  struct node *next;
  bool free;
};

struct queue {
  struct node **hazards;
  int *owners;
  int count;
};

static struct queue queue;

static int init(struct queue *q, int threads) {
  q->hazards = calloc(threads, sizeof(struct node));
  q->owners = calloc(threads, sizeof(struct node));
  q->count = threads;
  return q->hazards && q->owners;
}

static int claim(struct queue *q) {
  for (int i = 0; i < q->count; i++) {
    int none = 0;
    if (__atomic_compare_exchange_n(&q->owners[i], &none, 1, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) return i;
  }
  return -1;
}

static void *work(void *argument) {
  struct node own;
  int me = claim(&queue);
  assert(me >= 0);
  __atomic_store_n(&queue.hazards[me], &own, __ATOMIC_SEQ_CST);
  for (int i = 0; i < queue.count; i++) {
#ifdef WRONG
    assert(!__atomic_load_n(&queue.hazards[i], __ATOMIC_SEQ_CST) || i == me);
#else
    if (i == me) assert(__atomic_load_n(&queue.hazards[i], __ATOMIC_SEQ_CST) == &own);
#endif
  }
  return argument;
}

int main(void) {
  pthread_t one;
  int threads = 2;
  if (!init(&queue, threads)) return 1;
  pthread_create(&one, 0, work, 0);
  work(0);
  pthread_join(one, 0);
  return 0;
}
