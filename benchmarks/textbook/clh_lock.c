// The queue lock of Craig, Landin and Hagersten: each thread waits at the node of the one before it. -DBROKEN
// does not acquire what it waited for.
//
// run: --check assert,memory,race
// expect: sc,tso,pso,power,aarch64,riscv,rc11=SAFE
//
// run: -DBROKEN
// expect: power,aarch64,riscv,rc11=UNSAFE

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifdef BROKEN
#define ACQUIRE memory_order_relaxed
#else
#define ACQUIRE memory_order_acquire
#endif

struct node {
  atomic_int taken;
};

struct node first;
_Atomic(struct node *) tail = &first;
int shared;

void *worker(void *arg) {
  struct node *mine = arg;
  atomic_store_explicit(&mine->taken, 1, memory_order_relaxed);
  struct node *before = atomic_exchange_explicit(&tail, mine, memory_order_acq_rel);
  while (atomic_load_explicit(&before->taken, ACQUIRE))
    ;
  shared++;
  atomic_store_explicit(&mine->taken, 0, memory_order_release);
  return 0;
}

int main(void) {
  static struct node nodes[2];
  pthread_t t;
  pthread_create(&t, 0, worker, &nodes[1]);
  worker(&nodes[0]);
  pthread_join(t, 0);
  assert(shared == 2);
  return 0;
}
