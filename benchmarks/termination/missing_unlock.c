// A spin lock that one way out of the critical section does not give back.
// -DUNLOCK gives it back there, too.
//
// run: --check termination
// expect: sc,tso,pso,power,aarch64,riscv,rc11=UNSAFE
//
// run: --check termination -DUNLOCK
// expect: sc,tso,pso,power,aarch64,riscv,rc11=SAFE

#include <pthread.h>
#include <stdatomic.h>

atomic_int lock;
atomic_int items;

void *take(void *arg) {
  while (atomic_exchange(&lock, 1)) {
  }
  if (items == 0) {
#ifdef UNLOCK
    lock = 0;
#endif
    return 0;
  }
  items--;
  lock = 0;
  return 0;
}

int main(void) {
  pthread_t t[3];
  items = 1;
  pthread_create(&t[0], 0, take, 0);
  pthread_create(&t[1], 0, take, 0);
  pthread_create(&t[2], 0, take, 0);
  pthread_join(t[0], 0);
  pthread_join(t[1], 0);
  pthread_join(t[2], 0);
  return 0;
}
