// As many threads at once as an input says may be inside; a counter of those who are is kept under a lock.
// -DMORE lets one more in.
//
// run: --check assert,misuse
// expect: sc=SAFE tso=SAFE pso=SAFE rc11=SAFE aarch64=SAFE riscv=SAFE power=SAFE
//
// run: --check assert --unwind 3 -DMORE
// expect: sc=UNSAFE tso=UNSAFE rc11=UNSAFE aarch64=UNSAFE

#include <assert.h>
#include <pthread.h>

extern int __VERIFIER_nondet_int(void);

int most, inside;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void *visitor(void *arg) {
  pthread_mutex_lock(&lock);
#ifdef MORE
  int may = inside <= most;
#else
  int may = inside < most;
#endif
  if (may) inside++;
  assert(inside <= most);
  pthread_mutex_unlock(&lock);
  if (!may) return 0;
  pthread_mutex_lock(&lock);
  if (inside > 0) inside--;
  pthread_mutex_unlock(&lock);
  return 0;
}

int main(void) {
  pthread_t t;
  most = __VERIFIER_nondet_int();
  if (most < 1) return 0;
  for (;;) pthread_create(&t, 0, visitor, 0);
}
