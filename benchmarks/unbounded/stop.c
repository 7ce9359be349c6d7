// Workers go on until they are told to stop; what they have counted is theirs.
// -DPLAIN tells them by a variable that is not atomic.
//
// run: --check race
// expect: sc=SAFE tso=SAFE pso=SAFE rc11=SAFE aarch64=SAFE riscv=SAFE power=SAFE
//
// run: --check race --unwind 2 -DPLAIN
// expect: sc=UNSAFE tso=UNSAFE rc11=UNSAFE aarch64=UNSAFE

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

#ifdef PLAIN
int stop;
#else
atomic_int stop;
#endif

void *worker(void *arg) {
  unsigned *count = arg;
  while (!stop) ++*count;
  return 0;
}

int main(void) {
  int n = __VERIFIER_nondet_int();
  if (n < 1 || n > 1000) return 0;
  pthread_t *threads = calloc(n, sizeof *threads);
  unsigned *counts = calloc(n, sizeof *counts);
  if (!threads || !counts) return 0;
  for (int i = 0; i < n; i++) pthread_create(&threads[i], 0, worker, &counts[i]);
  stop = 1;
  unsigned sum = 0;
  for (int i = 0; i < n; i++) pthread_join(threads[i], 0);
  for (int i = 0; i < n; i++) sum += counts[i];
  return sum;
}
