// An object goes through the states 0, 1, 2, and back; any number of threads try each step with a compare-exchange.
// -DSTEP lets a thread take two steps at once.
//
// run: --check assert,memory,misuse
// expect: sc=SAFE tso=SAFE pso=SAFE rc11=SAFE aarch64=SAFE riscv=SAFE power=SAFE
//
// run: --check assert,memory,misuse --unwind 3 -DSTEP
// expect: sc=UNSAFE tso=UNSAFE rc11=UNSAFE aarch64=UNSAFE

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

atomic_int state;

void *worker(void *arg) {
  for (;;) {
    int now = atomic_load_explicit(&state, memory_order_relaxed);
    assert(0 <= now && now <= 2);
#ifdef STEP
    int next = now + 2;
#else
    int next = now == 2 ? 0 : now + 1;
#endif
    atomic_compare_exchange_strong_explicit(&state, &now, next, memory_order_relaxed, memory_order_relaxed);
  }
}

int main(void) {
  pthread_t t;
  for (;;) pthread_create(&t, 0, worker, 0);
}
