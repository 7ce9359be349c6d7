// Every thread sorts an array of its own, whose length is an input.
// -DBEHIND compares with the element behind the last.
//
// run: --check race,memory,misuse,overflow
// expect: sc=SAFE tso=SAFE pso=SAFE rc11=SAFE aarch64=SAFE riscv=SAFE power=SAFE
//
// run: --check memory --unwind 3 -DBEHIND
// expect: sc=UNSAFE tso=UNSAFE rc11=UNSAFE aarch64=UNSAFE

#include <pthread.h>
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

void *sorter(void *arg) {
  int n = __VERIFIER_nondet_int();
  if (n < 1 || n > 1000) return 0;
  int *a = calloc(n, sizeof *a);
  if (!a) return 0;
  for (int i = 0; i < n; i++) a[i] = __VERIFIER_nondet_int();
  for (int i = 0; i < n; i++)
#ifdef BEHIND
    for (int j = 0; j < n; j++)
#else
    for (int j = 0; j + 1 < n; j++)
#endif
      if (a[j] > a[j + 1]) {
        int other = a[j];
        a[j] = a[j + 1];
        a[j + 1] = other;
      }
  free(a);
  return 0;
}

int main(void) {
  pthread_t t;
  for (;;) pthread_create(&t, 0, sorter, 0);
}
