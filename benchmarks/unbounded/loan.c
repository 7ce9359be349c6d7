// Any number of threads take money out of an account and pay it back, in one atomic section; the owner looks at the
// account at any time, in no section. -DSPLIT does it in two sections.
//
// run: --check assert,misuse,leak
// expect: sc=SAFE
//
// run: --check assert --unwind 2 -DSPLIT
// expect: sc=UNSAFE

#include <assert.h>
#include <pthread.h>

extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);

int account;

void *lend(void *arg) {
  while (__VERIFIER_nondet_int()) {
    __VERIFIER_atomic_begin();
    account = account - 1;
#ifdef SPLIT
    __VERIFIER_atomic_end();
    __VERIFIER_atomic_begin();
#endif
    account = account + 1;
    __VERIFIER_atomic_end();
  }
  return 0;
}

int main(void) {
  pthread_t thread;
  int threads = __VERIFIER_nondet_int();
  for (int i = 0; i < threads; i++) pthread_create(&thread, 0, lend, 0);
  assert(account == 0);
  return 0;
}
