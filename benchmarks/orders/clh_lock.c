// The queue lock of Craig, Landin and Hagersten. Every order is seq_cst.

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

struct node {
  atomic_int held;
};

struct node nodes[3];
_Atomic(struct node *) tail = &nodes[0];
int shared;

void *worker(void *arg) {
  struct node *mine = arg;
  atomic_store(&mine->held, 1);
  struct node *before = atomic_exchange(&tail, mine);
  while (atomic_load(&before->held))
    ;
  shared++;
  atomic_store(&mine->held, 0);
  return 0;
}

int main(void) {
  pthread_t t;
  pthread_create(&t, 0, worker, &nodes[1]);
  worker(&nodes[2]);
  pthread_join(t, 0);
  assert(shared == 2);
  return 0;
}
