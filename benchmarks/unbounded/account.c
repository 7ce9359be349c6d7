// Any number of clerks move money between two accounts under a lock. What is there in sum is an input.
// -DEARLY looks at the other account before the lock is held, -DUNLOCKED writes the second one without it.
//
// run:
// expect: sc=SAFE tso=SAFE pso=SAFE rc11=SAFE aarch64=SAFE riscv=SAFE power=SAFE
//
// run: --unwind 1 -DEARLY
// expect: sc=UNSAFE tso=UNSAFE rc11=UNSAFE aarch64=UNSAFE
//
// run: --unwind 1 -DUNLOCKED
// expect: sc=UNSAFE tso=UNSAFE rc11=UNSAFE aarch64=UNSAFE

#include <assert.h>
#include <pthread.h>

extern int __VERIFIER_nondet_int(void);

int total, here, there;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void *clerk(void *arg) {
  for (;;) {
    int amount = __VERIFIER_nondet_int();
#ifdef EARLY
    int before = there;
#endif
    pthread_mutex_lock(&lock);
#ifndef EARLY
    int before = there;
#endif
    assert(here + there == total);
    if (0 <= amount && amount <= here) {
      here -= amount;
#ifdef UNLOCKED
      pthread_mutex_unlock(&lock);
      there = before + amount;
      continue;
#else
      there = before + amount;
#endif
    }
    pthread_mutex_unlock(&lock);
  }
}

int main(void) {
  pthread_t t;
  total = __VERIFIER_nondet_int();
  here = __VERIFIER_nondet_int();
  if (total < 0 || here < 0 || here > total) return 0;
  there = total - here;
  while (__VERIFIER_nondet_int()) pthread_create(&t, 0, clerk, 0);
  pthread_mutex_lock(&lock);
  assert(here >= 0 && there >= 0);
  pthread_mutex_unlock(&lock);
  return 0;
}
