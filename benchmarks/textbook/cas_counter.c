// A counter that two threads increment by compare-exchange, with the value that the failed one has
// returned. -DBROKEN adds in two steps.
//
// run:
// expect: sc,tso,power,aarch64,riscv,rc11=SAFE
//
// run: -DBROKEN
// expect: sc,tso,power,aarch64,riscv,rc11=UNSAFE

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

atomic_int counter;

void *increment(void *arg) {
#ifdef BROKEN
  counter = counter + 1;
#else
  int old = counter;
  while (!atomic_compare_exchange_strong(&counter, &old, old + 1))
    ;
#endif
  return 0;
}

int main(void) {
  pthread_t t;
  pthread_create(&t, 0, increment, 0);
  increment(0);
  pthread_join(t, 0);
  assert(counter == 2);
  return 0;
}
