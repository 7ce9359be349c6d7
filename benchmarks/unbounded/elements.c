// Threads look at the elements of an array whose length is an input, each at all of them.
// -DTOO_FAR looks at one more.
//
// run: --check memory,misuse,overflow
// expect: sc=SAFE tso=SAFE pso=SAFE rc11=SAFE aarch64=SAFE riscv=SAFE power=SAFE
//
// run: --check memory,misuse,overflow --unwind 2 -DTOO_FAR
// expect: sc=UNSAFE tso=UNSAFE rc11=UNSAFE aarch64=UNSAFE

#include <pthread.h>
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

int length;
int *array;

void *reader(void *arg) {
  int largest = 0;
#ifdef TOO_FAR
  for (int i = 0; i <= length; i++)
#else
  for (int i = 0; i < length; i++)
#endif
    if (array[i] > largest) largest = array[i];
  return 0;
}

int main(void) {
  pthread_t t;
  length = __VERIFIER_nondet_int();
  if (length < 0 || length > 1 << 20) return 0;
  array = calloc(length, sizeof *array);
  if (!array) return 0;
  for (int i = 0; i < length; i++) array[i] = __VERIFIER_nondet_int();
  while (__VERIFIER_nondet_int()) pthread_create(&t, 0, reader, 0);
  return 0;
}
