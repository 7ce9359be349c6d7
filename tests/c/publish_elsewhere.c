// A node is filled, something releases at another place, and the node's address is stored by a relaxed write. On
// ARMv8 a write that releases is before nothing that follows it; elsewhere there is a fence in front of it. A
// compare-exchange that fails orders where it is one instruction, a locked one.
//
// run: -DBETWEEN=STORE
// expect: sc,tso,pso,power,riscv=SAFE aarch64,rc11=UNSAFE
//
// run: -DBETWEEN=UPDATE
// expect: sc,tso,pso,power,riscv=SAFE aarch64,rc11=UNSAFE
//
// run: -DBETWEEN=FAILS
// expect: sc,tso,pso=SAFE power,aarch64,riscv,rc11=UNSAFE
//
// run: -DBETWEEN=FENCE
// expect: sc,tso,pso,power,aarch64,riscv=SAFE rc11=UNSAFE
//
// run: -DBETWEEN=NOTHING -DORDER=memory_order_release
// expect: sc,tso,pso,power,aarch64,riscv=SAFE rc11=UNSAFE

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#define NOTHING
#define FENCE atomic_thread_fence(memory_order_release)
#define STORE atomic_store_explicit(&y, 1, memory_order_release)
#define UPDATE atomic_fetch_add_explicit(&y, 1, memory_order_release)
#define FAILS atomic_compare_exchange_strong_explicit(&y, &five, 1, memory_order_release, memory_order_relaxed)
#ifndef ORDER
#define ORDER memory_order_relaxed
#endif

struct node {
  atomic_int value;
};

_Atomic(struct node *) top;
atomic_int y;

void *push(void *arg) {
  int five = 5;
  struct node *node = calloc(1, sizeof *node);
  atomic_store_explicit(&node->value, 1, memory_order_relaxed);
  BETWEEN;
  atomic_store_explicit(&top, node, ORDER);
  (void)five;
  return 0;
}

int main(void) {
  pthread_t t;
  pthread_create(&t, 0, push, 0);
  struct node *first = atomic_load_explicit(&top, memory_order_relaxed);
  if (first)
    assert(atomic_load_explicit(&first->value, memory_order_relaxed) == 1);
  pthread_join(t, 0);
  return 0;
}
