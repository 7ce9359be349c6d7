// Each thread raises its flag and looks at the other one's: who sees it lets both go on. Under sequential consistency one of them
// does; where stores are delayed (-DRELAXED) it may be that none does, and both wait.
//
// run: --check termination
// expect: sc,tso,pso,rmo,power,aarch64,riscv,rc11=SAFE
//
// run: --check termination -DRELAXED
// expect: sc=SAFE tso,pso,rmo,power,aarch64,riscv,rc11=UNSAFE

#include <pthread.h>
#include <stdatomic.h>

#ifdef RELAXED
#define ORDER memory_order_relaxed
#else
#define ORDER memory_order_seq_cst
#endif
atomic_int a, b, go;

static void meet(atomic_int *mine, atomic_int *other) {
  atomic_store_explicit(mine, 1, ORDER);
  if (atomic_load_explicit(other, ORDER))
    atomic_store_explicit(&go, 1, ORDER);
  while (!atomic_load_explicit(&go, ORDER)) {
  }
}

void *first(void *arg) {
  meet(&a, &b);
  return 0;
}

void *second(void *arg) {
  meet(&b, &a);
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
