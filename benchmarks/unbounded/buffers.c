// Every thread works with a buffer of its own, whose size is an input, and frees it.
// -DBEHIND writes one element behind, -DTWICE frees it again, -DUSED reads what is freed.
//
// run: --check race,memory,misuse
// expect: sc=SAFE tso=SAFE pso=SAFE rc11=SAFE aarch64=SAFE riscv=SAFE power=SAFE
//
// run: --check memory --unwind 3 -DBEHIND
// expect: sc=UNSAFE tso=UNSAFE rc11=UNSAFE aarch64=UNSAFE
//
// run: --check memory,misuse --unwind 3 -DTWICE
// expect: sc=UNSAFE tso=UNSAFE rc11=UNSAFE aarch64=UNSAFE
//
// run: --check memory --unwind 3 -DUSED
// expect: sc=UNSAFE tso=UNSAFE rc11=UNSAFE aarch64=UNSAFE

#include <pthread.h>
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);
extern unsigned __VERIFIER_nondet_uint(void);

void *worker(void *arg) {
  unsigned n = __VERIFIER_nondet_uint() % 4096 + 1;
  int *buffer = malloc(n * sizeof *buffer);
  if (!buffer) return 0;
  for (unsigned i = 0; i < n; i++) buffer[i] = i;
#ifdef BEHIND
  buffer[n] = 0;
#endif
  unsigned sum = 0;
  for (unsigned i = n; i > 0; i--) sum += buffer[i - 1];
  free(buffer);
#ifdef TWICE
  free(buffer);
#endif
#ifdef USED
  sum += buffer[0];
#endif
  return sum ? arg : 0;
}

int main(void) {
  pthread_t t;
  while (__VERIFIER_nondet_int()) pthread_create(&t, 0, worker, 0);
  return 0;
}
