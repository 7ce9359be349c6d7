// Three threads in a row hand one item on, each when it sees the one before. -DRING lets the first one wait for the last.
//
// run: --check termination
// expect: sc,tso,pso,power,aarch64,riscv,rc11=SAFE
//
// run: --check termination -DRING
// expect: sc,tso,pso,power,aarch64,riscv,rc11=UNSAFE

#include <pthread.h>
#include <stdatomic.h>

atomic_int full[3];

static void await(int stage) {
  while (!atomic_load_explicit(&full[stage], memory_order_acquire)) {
  }
}

static void fill(int stage) { atomic_store_explicit(&full[stage], 1, memory_order_release); }

void *first(void *arg) {
#ifdef RING
  await(2);
#endif
  fill(0);
  return 0;
}

void *second(void *arg) {
  await(0);
  fill(1);
  return 0;
}

int main(void) {
  pthread_t t, u;
  pthread_create(&t, 0, first, 0);
  pthread_create(&u, 0, second, 0);
  await(1);
  fill(2);
  pthread_join(t, 0);
  pthread_join(u, 0);
  return 0;
}
