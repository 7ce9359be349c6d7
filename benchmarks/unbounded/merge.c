// Threads count for themselves and add what they have to the sum under a lock.
// -DSTATIC counts in a variable of all threads, -DDIRECT adds without the lock.
//
// run: --check race
// expect: sc=SAFE tso=SAFE pso=SAFE rc11=SAFE aarch64=SAFE riscv=SAFE power=SAFE
//
// run: --check race --unwind 2 -DSTATIC
// expect: sc=UNSAFE tso=UNSAFE rc11=UNSAFE aarch64=UNSAFE
//
// run: --check race --unwind 2 -DDIRECT
// expect: sc=UNSAFE tso=UNSAFE rc11=UNSAFE aarch64=UNSAFE

#include <pthread.h>

extern int __VERIFIER_nondet_int(void);

#ifdef STATIC
#define OF_THREAD static
#else
#define OF_THREAD static _Thread_local
#endif

OF_THREAD unsigned count;
unsigned sum;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void *worker(void *arg) {
  while (__VERIFIER_nondet_int()) count++;
#ifndef DIRECT
  pthread_mutex_lock(&lock);
#endif
  sum += count;
#ifndef DIRECT
  pthread_mutex_unlock(&lock);
#endif
  return 0;
}

int main(void) {
  pthread_t t;
  while (__VERIFIER_nondet_int()) pthread_create(&t, 0, worker, 0);
  pthread_mutex_lock(&lock);
  unsigned result = sum;
  pthread_mutex_unlock(&lock);
  return result;
}
