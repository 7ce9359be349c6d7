// A queue lock with nodes on the heap. A thread that waits reads a node that its owner may free: an iteration
// that changes nothing is followed only where that would be wrong.
//
// run: --check assert --unwind 1
// expect: sc,tso,pso,rmo,alpha,power,aarch64=SAFE power2010=UNSAFE
//
// run: --check assert,memory --unwind 1
// expect: sc,tso,pso,rmo,alpha,power,aarch64=SAFE power2010=UNSAFE

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

typedef struct { atomic_int wait; } node;
_Atomic(node *) tail;
int shared;

static node *new_node(int wait) {
  node *n = malloc(sizeof *n);
  if (!n) abort();
  atomic_init(&n->wait, wait);
  return n;
}

void *thread(void *arg) {
  long index = (long)arg;
  node *mine = new_node(1);
  node *previous = atomic_exchange(&tail, mine);
  int wait = atomic_load_explicit(&previous->wait, memory_order_acquire);
  while (wait) wait = atomic_load_explicit(&previous->wait, memory_order_acquire);
  free(previous);
  shared = index;
  int seen = shared;
  assert(seen == index);
  atomic_store_explicit(&mine->wait, 0, memory_order_release);
  return 0;
}

int main(void) {
  pthread_t a, b;
  atomic_init(&tail, new_node(0));
  pthread_create(&a, 0, thread, (void *)0);
  pthread_create(&b, 0, thread, (void *)1);
  pthread_join(a, 0);
  pthread_join(b, 0);
}
