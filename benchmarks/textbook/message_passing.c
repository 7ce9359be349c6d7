// Message passing with release and acquire. -DBROKEN: without.
//
// run: --check assert,memory,race
// expect: sc,tso,power,aarch64,riscv,rc11=SAFE
//
// run: --check race -DBROKEN
// expect: sc,tso,power,aarch64,riscv,rc11=UNSAFE

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifdef BROKEN
#define RELEASE memory_order_relaxed
#define ACQUIRE memory_order_relaxed
#else
#define RELEASE memory_order_release
#define ACQUIRE memory_order_acquire
#endif

int data;
atomic_int flag;

void *sender(void *arg) {
  data = 42;
  atomic_store_explicit(&flag, 1, RELEASE);
  return 0;
}

int main(void) {
  pthread_t t;
  pthread_create(&t, 0, sender, 0);
  while (!atomic_load_explicit(&flag, ACQUIRE))
    ;
  assert(data == 42);
  return 0;
}
