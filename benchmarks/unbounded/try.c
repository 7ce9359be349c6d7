// Any number of threads change a pair if they get the lock at once, and do without else.
// -DANYWAY changes it without.
//
// run: --check assert,race,misuse
// expect: sc=SAFE tso=SAFE pso=SAFE rc11=SAFE aarch64=SAFE riscv=SAFE power=SAFE
//
// run: --check assert --unwind 2 -DANYWAY
// expect: sc=UNSAFE tso=UNSAFE rc11=UNSAFE aarch64=UNSAFE

#include <assert.h>
#include <pthread.h>

extern int __VERIFIER_nondet_int(void);

unsigned first, second;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void *worker(void *arg) {
  while (__VERIFIER_nondet_int()) {
    int busy = pthread_mutex_trylock(&lock);
#ifndef ANYWAY
    if (busy) continue;
#endif
    assert(first == second);
    first++;
    second++;
    if (!busy) pthread_mutex_unlock(&lock);
  }
  return 0;
}

int main(void) {
  pthread_t t;
  for (;;) pthread_create(&t, 0, worker, 0);
}
