// A thread tries to take a mutex until it has it. -DHOLDS does not give it back before it waits for the thread.
//
// run: --check termination
// expect: sc,tso,pso,power,aarch64,riscv,rc11=SAFE
//
// run: --check termination -DHOLDS
// expect: sc,tso,pso,power,aarch64,riscv,rc11=UNSAFE

#include <pthread.h>

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

void *run(void *arg) {
  while (pthread_mutex_trylock(&m)) {
  }
  pthread_mutex_unlock(&m);
  return 0;
}

int main(void) {
  pthread_t t;
  pthread_mutex_lock(&m);
  pthread_create(&t, 0, run, 0);
#ifndef HOLDS
  pthread_mutex_unlock(&m);
#endif
  pthread_join(t, 0);
#ifdef HOLDS
  pthread_mutex_unlock(&m);
#endif
  return 0;
}
