// The queue lock of Mellor-Crummey and Scott: who leaves hands the lock to its successor. -DLOST does not wait for a
// successor that is in the queue and not linked yet, and clears the tail.
//
// run: --check termination
// expect: all=SAFE
//
// run: --check termination -DLOST
// expect: all=UNSAFE

#include <pthread.h>
#include <stdatomic.h>

struct node {
  _Atomic(struct node *) next;
  atomic_int waits;
};

struct node nodes[2];
_Atomic(struct node *) tail;

static void section(struct node *me) {
  me->next = 0;
  me->waits = 1;
  struct node *before = atomic_exchange(&tail, me);
  if (before) {
    before->next = me;
    while (me->waits) {
    }
  }
  struct node *next = me->next;
  if (!next) {
    struct node *expected = me;
    if (atomic_compare_exchange_strong(&tail, &expected, 0))
      return;
#ifdef LOST
    return;
#endif
    while (!(next = me->next)) {
    }
  }
  next->waits = 0;
}

void *first(void *arg) {
  section(&nodes[0]);
  return 0;
}

void *second(void *arg) {
  section(&nodes[1]);
  return 0;
}

int main(void) {
  pthread_t t[2];
  pthread_create(&t[0], 0, first, 0);
  pthread_create(&t[1], 0, second, 0);
  pthread_join(t[0], 0);
  pthread_join(t[1], 0);
  return 0;
}
