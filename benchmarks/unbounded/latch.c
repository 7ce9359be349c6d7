// A latch counts down to zero, and never below, whoever counts.
// -DBELOW does not look.
//
// run: --check assert,race,misuse
// expect: sc=SAFE tso=SAFE pso=SAFE rc11=SAFE aarch64=SAFE riscv=SAFE power=SAFE
//
// run: --check assert --unwind 3 -DBELOW
// expect: sc=UNSAFE tso=UNSAFE rc11=UNSAFE aarch64=UNSAFE

#include <assert.h>
#include <pthread.h>

extern int __VERIFIER_nondet_int(void);

int left;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t open = PTHREAD_COND_INITIALIZER;

void *arrive(void *arg) {
  pthread_mutex_lock(&lock);
#ifdef BELOW
  left--;
#else
  if (left > 0) left--;
#endif
  assert(left >= 0);
  if (left == 0) pthread_cond_broadcast(&open);
  pthread_mutex_unlock(&lock);
  return 0;
}

void *wait(void *arg) {
  pthread_mutex_lock(&lock);
  while (left > 0) pthread_cond_wait(&open, &lock);
  assert(left == 0);
  pthread_mutex_unlock(&lock);
  return 0;
}

int main(void) {
  pthread_t t;
  left = __VERIFIER_nondet_int();
  if (left < 0) return 0;
  for (;;) pthread_create(&t, 0, __VERIFIER_nondet_int() ? arrive : wait, 0);
}
