// Two spin locks, taken in two orders. -DORDERED takes them in one.
//
// run: --check termination
// expect: sc,tso,pso,power,aarch64,riscv,rc11=UNSAFE
//
// run: --check termination -DORDERED
// expect: sc,tso,pso,power,aarch64,riscv,rc11=SAFE

#include <pthread.h>
#include <stdatomic.h>

atomic_int a, b;

static void acquire(atomic_int *lock) {
  while (atomic_exchange_explicit(lock, 1, memory_order_acquire)) {
  }
}

static void release(atomic_int *lock) {
  atomic_store_explicit(lock, 0, memory_order_release);
}

void *first(void *arg) {
  acquire(&a);
  acquire(&b);
  release(&b);
  release(&a);
  return 0;
}

void *second(void *arg) {
#ifdef ORDERED
  acquire(&a);
  acquire(&b);
#else
  acquire(&b);
  acquire(&a);
#endif
  release(&a);
  release(&b);
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
