// Any number of threads want one table, which the first of them makes.
// -DAGAIN lets each make it, -DBEFORE reads it before it is there.
//
// run: --check race,misuse
// expect: sc=SAFE tso=SAFE pso=SAFE rc11=SAFE aarch64=SAFE riscv=SAFE power=SAFE
//
// run: --check race --unwind 2 -DAGAIN
// expect: sc=UNSAFE tso=UNSAFE rc11=UNSAFE aarch64=UNSAFE
//
// run: --check race --unwind 2 -DBEFORE
// expect: sc=UNSAFE tso=UNSAFE rc11=UNSAFE aarch64=UNSAFE

#include <pthread.h>

extern unsigned __VERIFIER_nondet_uint(void);

int table[16];
pthread_once_t once = PTHREAD_ONCE_INIT;

void make(void) {
  for (int i = 0; i < 16; i++) table[i] = i * i;
}

void *worker(void *arg) {
  unsigned i = __VERIFIER_nondet_uint() % 16;
#ifdef BEFORE
  int square = table[i];
#endif
#ifdef AGAIN
  make();
#else
  pthread_once(&once, make);
#endif
#ifndef BEFORE
  int square = table[i];
#endif
  return square ? arg : 0;
}

int main(void) {
  pthread_t t;
  for (;;) pthread_create(&t, 0, worker, 0);
}
