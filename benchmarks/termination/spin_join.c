// A thread spins until main sets a flag. -DLATE sets it when the thread has ended, which it does not.
//
// run: --check termination
// expect: sc,tso,pso,power,aarch64,riscv,rc11=SAFE
//
// run: --check termination -DLATE
// expect: sc,tso,pso,power,aarch64,riscv,rc11=UNSAFE
//
// run: --check deadlock -DLATE
// expect: sc,tso,pso,power,aarch64,riscv,rc11=UNSAFE

#include <pthread.h>
#include <stdatomic.h>

atomic_int stop;

void *run(void *arg) {
  while (!atomic_load_explicit(&stop, memory_order_acquire)) {
  }
  return 0;
}

int main(void) {
  pthread_t t;
  pthread_create(&t, 0, run, 0);
#ifdef LATE
  pthread_join(t, 0);
  atomic_store_explicit(&stop, 1, memory_order_release);
#else
  atomic_store_explicit(&stop, 1, memory_order_release);
  pthread_join(t, 0);
#endif
  return 0;
}
