// A spin lock of its own guards two numbers that are equal when no thread holds it.
// -DRELAXED takes it without acquiring, -DGIVES gives it back between the two.
//
// run:
// expect: sc=SAFE tso=SAFE pso=SAFE rc11=SAFE aarch64=SAFE riscv=SAFE power=SAFE
//
// run: --unwind 1 -DRELAXED
// expect: rc11=UNSAFE aarch64=UNSAFE
//
// run: --unwind 1 -DGIVES
// expect: sc=UNSAFE tso=UNSAFE rc11=UNSAFE aarch64=UNSAFE

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifdef RELAXED
#define ORDER memory_order_relaxed
#else
#define ORDER memory_order_acquire
#endif

atomic_int taken;
int first, second;

void take(void) {
  while (atomic_exchange_explicit(&taken, 1, ORDER)) {
  }
}

void give(void) { atomic_store_explicit(&taken, 0, memory_order_release); }

void *worker(void *arg) {
  for (;;) {
    take();
    assert(first == second);
    first++;
#ifdef GIVES
    give();
    take();
#endif
    second++;
    give();
  }
}

int main(void) {
  pthread_t t;
  for (;;) pthread_create(&t, 0, worker, 0);
}
