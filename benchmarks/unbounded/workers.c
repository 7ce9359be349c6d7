// As many threads as an input says, each with an element of an array. Main joins them all, then looks.
// -DEARLY looks before, -DFEWER joins all but one, -DSHARED hands two threads one element.
//
// run: --check race
// expect: sc=SAFE tso=SAFE pso=SAFE rc11=SAFE aarch64=SAFE riscv=SAFE power=SAFE
//
// run: --check race -DEARLY --unwind 2
// expect: sc=UNSAFE tso=UNSAFE rc11=UNSAFE aarch64=UNSAFE
//
// run: --check race -DFEWER --unwind 2
// expect: sc=UNSAFE tso=UNSAFE rc11=UNSAFE aarch64=UNSAFE
//
// run: --check race -DSHARED --unwind 2
// expect: sc=UNSAFE tso=UNSAFE rc11=UNSAFE aarch64=UNSAFE

#include <pthread.h>
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

#ifdef FEWER
#define FIRST 1
#else
#define FIRST 0
#endif

void *worker(void *arg) {
  int *mine = arg;
  for (int i = 0; i < 100; i++) *mine += i;
  return 0;
}

int main(void) {
  int n = __VERIFIER_nondet_int();
  if (n < 0) return 0;
  pthread_t *threads = malloc(n * sizeof(pthread_t));
  int *sums = calloc(n, sizeof(int));
  for (int i = 0; i < n; i++) {
#ifdef SHARED
    pthread_create(&threads[i], 0, worker, &sums[i / 2]);
#else
    pthread_create(&threads[i], 0, worker, &sums[i]);
#endif
  }
#ifdef EARLY
  int all = n > 0 ? sums[0] : 0;
#else
  int all = 0;
#endif
  for (int i = FIRST; i < n; i++) pthread_join(threads[i], 0);
  for (int i = 0; i < n; i++) all += sums[i];
  free(sums);
  free(threads);
  return all;
}
