// A bank with as many accounts as an input says, each with a lock.
// -DOTHER takes the lock of another account, -DBEHIND pays in to one behind the last.
//
// run: --check race
// expect: sc=SAFE tso=SAFE pso=SAFE rc11=SAFE aarch64=SAFE riscv=SAFE power=SAFE
//
// run: --check race --unwind 3 -DOTHER -DMOST=2
// expect: sc=UNSAFE tso=UNSAFE rc11=UNSAFE aarch64=UNSAFE
//
// run: --check memory --unwind 3 -DBEHIND -DMOST=2
// expect: sc=UNSAFE tso=UNSAFE rc11=UNSAFE aarch64=UNSAFE

#include <pthread.h>
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

struct account {
  pthread_mutex_t lock;
  unsigned money;
};

#ifndef MOST
#define MOST 10000
#endif

int number;
struct account *accounts;

void *clerk(void *arg) {
  int i = __VERIFIER_nondet_int();
#ifdef BEHIND
  if (i < 0 || i > number) return 0;
#else
  if (i < 0 || i >= number) return 0;
#endif
  struct account *account = &accounts[i];
#ifdef OTHER
  int other = __VERIFIER_nondet_int();
  if (other < 0 || other >= number) return 0;
  pthread_mutex_t *lock = &accounts[other].lock;
#else
  pthread_mutex_t *lock = &account->lock;
#endif
  pthread_mutex_lock(lock);
  account->money += __VERIFIER_nondet_int();
  pthread_mutex_unlock(lock);
  return 0;
}

int main(void) {
  pthread_t t;
  number = __VERIFIER_nondet_int();
  if (number < 1 || number > MOST) return 0;
  accounts = calloc(number, sizeof *accounts);
  if (!accounts) return 0;
  for (int i = 0; i < number; i++) pthread_mutex_init(&accounts[i].lock, 0);
  for (;;) pthread_create(&t, 0, clerk, 0);
}
