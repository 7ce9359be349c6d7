// A set of numbers below a limit that is an input, a bit for each, changed by any number of threads under a lock.
// -DSHORT has a word too few.
//
// run: --check memory,misuse,race
// expect: sc=SAFE tso=SAFE pso=SAFE rc11=SAFE aarch64=SAFE riscv=SAFE power=SAFE
//
// run: --check memory --unwind 3 -DSHORT
// expect: sc=UNSAFE tso=UNSAFE rc11=UNSAFE aarch64=UNSAFE

#include <pthread.h>
#include <stdlib.h>

extern unsigned __VERIFIER_nondet_uint(void);

unsigned limit, *words;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void *member(void *arg) {
  unsigned i = __VERIFIER_nondet_uint();
  if (i >= limit) return 0;
  pthread_mutex_lock(&lock);
  words[i / 32] |= 1u << i % 32;
  pthread_mutex_unlock(&lock);
  return 0;
}

int main(void) {
  pthread_t t;
  limit = __VERIFIER_nondet_uint() % 10000 + 1;
#ifdef SHORT
  words = calloc(limit / 32 + 0, sizeof *words);
#else
  words = calloc(limit / 32 + 1, sizeof *words);
#endif
  if (!words) return 0;
  for (;;) pthread_create(&t, 0, member, 0);
}
