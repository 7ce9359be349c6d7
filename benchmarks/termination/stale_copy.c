// A message is read once, when its flag is seen, and the reader loops as long as the copy is empty. -DRELAXED does not order
// the message before the flag: the copy may be stale, and it stays so.
//
// run: --check termination
// expect: sc,tso,pso,rmo,power,aarch64,riscv,rc11=SAFE
//
// run: --check termination -DRELAXED
// expect: sc,tso=SAFE pso,rmo,power,aarch64,riscv,rc11=UNSAFE

#include <pthread.h>
#include <stdatomic.h>

#ifdef RELAXED
#define ACQUIRE memory_order_relaxed
#define RELEASE memory_order_relaxed
#else
#define ACQUIRE memory_order_acquire
#define RELEASE memory_order_release
#endif
atomic_int message, flag;

void *writer(void *arg) {
  atomic_store_explicit(&message, 1, memory_order_relaxed);
  atomic_store_explicit(&flag, 1, RELEASE);
  return 0;
}

void *reader(void *arg) {
  while (!atomic_load_explicit(&flag, ACQUIRE)) {
  }
  int copy = atomic_load_explicit(&message, memory_order_relaxed);
  while (!copy) {
  }
  return 0;
}

int main(void) {
  pthread_t t[2];
  pthread_create(&t[0], 0, writer, 0);
  pthread_create(&t[1], 0, reader, 0);
  pthread_join(t[0], 0);
  pthread_join(t[1], 0);
  return 0;
}
