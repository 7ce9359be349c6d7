// Threads look for numbers in a sorted array whose length is an input, by halving.
// -DALL begins with one element too many.
//
// run: --check memory,misuse,overflow
// expect: sc=SAFE tso=SAFE pso=SAFE rc11=SAFE aarch64=SAFE riscv=SAFE power=SAFE
//
// run: --check memory --unwind 3 -DALL
// expect: sc=UNSAFE tso=UNSAFE rc11=UNSAFE aarch64=UNSAFE

#include <pthread.h>
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

int length;
int *array;

void *seeker(void *arg) {
  int wanted = __VERIFIER_nondet_int();
#ifdef ALL
  int low = 0, high = length + 1;
#else
  int low = 0, high = length;
#endif
  while (low < high) {
    int middle = low + (high - low) / 2;
    if (array[middle] == wanted) return arg;
    if (array[middle] < wanted)
      low = middle + 1;
    else
      high = middle;
  }
  return 0;
}

int main(void) {
  pthread_t t;
  length = __VERIFIER_nondet_int();
  if (length < 1 || length > 1 << 20) return 0;
  array = calloc(length, sizeof *array);
  if (!array) return 0;
  while (__VERIFIER_nondet_int()) pthread_create(&t, 0, seeker, 0);
  return 0;
}
