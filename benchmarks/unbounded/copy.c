// Threads copy from a text whose length is an input into buffers of their own.
// -DEND forgets that a zero ends it.
//
// run: --check memory,misuse,race
// expect: sc=SAFE tso=SAFE pso=SAFE rc11=SAFE aarch64=SAFE riscv=SAFE power=SAFE
//
// run: --check memory --unwind 3 -DEND
// expect: sc=UNSAFE tso=UNSAFE rc11=UNSAFE aarch64=UNSAFE

#include <pthread.h>
#include <stdlib.h>

extern unsigned __VERIFIER_nondet_uint(void);
extern int __VERIFIER_nondet_int(void);

unsigned length;
char *text;

void *copier(void *arg) {
#ifdef END
  char *mine = malloc(length);
#else
  char *mine = malloc(length + 1);
#endif
  if (!mine) return 0;
  for (unsigned i = 0; i < length; i++) mine[i] = text[i];
  mine[length] = 0;
  free(mine);
  return 0;
}

int main(void) {
  pthread_t t;
  length = __VERIFIER_nondet_uint() % 1000 + 1;
  text = calloc(length, 1);
  if (!text) return 0;
  while (__VERIFIER_nondet_int()) pthread_create(&t, 0, copier, 0);
  return 0;
}
