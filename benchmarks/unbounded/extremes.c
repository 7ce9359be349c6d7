// Any number of threads note the least and the largest of the numbers they see.
// -DAPART gives the lock back after the first number has been noted as the least.
//
// run:
// expect: sc=SAFE tso=SAFE pso=SAFE rc11=SAFE aarch64=SAFE riscv=SAFE power=SAFE
//
// run: --unwind 1 -DAPART
// expect: sc=UNSAFE tso=UNSAFE rc11=UNSAFE aarch64=UNSAFE

#include <assert.h>
#include <limits.h>
#include <pthread.h>

extern int __VERIFIER_nondet_int(void);

struct extremes {
  pthread_mutex_t lock;
  int least, largest;
} seen = {PTHREAD_MUTEX_INITIALIZER, 0, 0};

void *worker(void *arg) {
  struct extremes *e = arg;
  while (__VERIFIER_nondet_int()) {
    int number = __VERIFIER_nondet_int();
    pthread_mutex_lock(&e->lock);
#ifdef APART
    if (e->least == e->largest) e->least = number;
    pthread_mutex_unlock(&e->lock);
    pthread_mutex_lock(&e->lock);
#endif
    if (number < e->least) e->least = number;
    if (number > e->largest) e->largest = number;
    pthread_mutex_unlock(&e->lock);
  }
  return 0;
}

int main(void) {
  pthread_t t;
  while (__VERIFIER_nondet_int()) pthread_create(&t, 0, worker, &seen);
  pthread_mutex_lock(&seen.lock);
  assert(seen.least <= seen.largest);
  pthread_mutex_unlock(&seen.lock);
  return 0;
}
