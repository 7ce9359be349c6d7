// Main fills an array whose length is an input, then as many threads as an input says read it.
// -DSTILL goes on filling it.
//
// run: --check race
// expect: sc=SAFE tso=SAFE pso=SAFE rc11=SAFE aarch64=SAFE riscv=SAFE power=SAFE
//
// run: --check race --unwind 2 -DSTILL
// expect: sc=UNSAFE tso=UNSAFE rc11=UNSAFE aarch64=UNSAFE

#include <pthread.h>
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

int length;
int *array;

void *reader(void *arg) {
  unsigned sum = 0;
  for (int i = 0; i < length; i++) sum += array[i];
  return sum ? arg : 0;
}

int main(void) {
  pthread_t t;
  length = __VERIFIER_nondet_int();
  int readers = __VERIFIER_nondet_int();
  if (length < 1 || length > 1000) return 0;
  array = malloc(length * sizeof *array);
  if (!array) return 0;
  for (int i = 0; i < length; i++) array[i] = __VERIFIER_nondet_int();
  for (int i = 0; i < readers; i++) pthread_create(&t, 0, reader, 0);
#ifdef STILL
  array[0] = 1;
#endif
  pthread_exit(0);
}
