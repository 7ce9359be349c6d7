// Each thread takes a number under a lock and works on the element with that number.
// -DEARLY gives the lock back before the next number is there, -DSOME leaves the number as it is at times.
//
// run: --check race
// expect: sc=SAFE tso=SAFE pso=SAFE rc11=SAFE aarch64=SAFE riscv=SAFE power=SAFE
//
// run: --check race --unwind 3 -DEARLY
// expect: sc=UNSAFE tso=UNSAFE rc11=UNSAFE aarch64=UNSAFE
//
// run: --check race --unwind 3 -DSOME
// expect: sc=UNSAFE tso=UNSAFE rc11=UNSAFE aarch64=UNSAFE

#include <pthread.h>
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

int length, next;
unsigned *sums;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void *worker(void *arg) {
  pthread_mutex_lock(&lock);
  int mine = next;
#ifdef EARLY
  pthread_mutex_unlock(&lock);
  pthread_mutex_lock(&lock);
#endif
#ifdef SOME
  if (__VERIFIER_nondet_int())
#endif
  next = mine + 1;
  pthread_mutex_unlock(&lock);
  if (mine >= length) return 0;
  while (__VERIFIER_nondet_int()) sums[mine]++;
  return 0;
}

int main(void) {
  pthread_t t;
  length = __VERIFIER_nondet_int();
  if (length < 1 || length > 1000) return 0;
  sums = calloc(length, sizeof *sums);
  if (!sums) return 0;
  while (__VERIFIER_nondet_int()) pthread_create(&t, 0, worker, 0);
  pthread_exit(0);
}
