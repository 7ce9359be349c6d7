// Any number of threads count numbers in sixteen counters under a lock.
// -DSIGNED takes the remainder of a signed number, -DUNLOCKED counts without the lock.
//
// run: --check race,memory,misuse
// expect: sc=SAFE tso=SAFE pso=SAFE rc11=SAFE aarch64=SAFE riscv=SAFE power=SAFE
//
// run: --check memory --unwind 2 -DSIGNED
// expect: sc=UNSAFE tso=UNSAFE rc11=UNSAFE aarch64=UNSAFE
//
// run: --check race --unwind 2 -DUNLOCKED
// expect: sc=UNSAFE tso=UNSAFE rc11=UNSAFE aarch64=UNSAFE

#include <pthread.h>

extern int __VERIFIER_nondet_int(void);

enum { BUCKETS = 16 };
unsigned counts[BUCKETS];
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void *count(void *arg) {
  int n = __VERIFIER_nondet_int();
  for (int i = 0; i < n; i++) {
    int number = __VERIFIER_nondet_int();
#ifdef SIGNED
    int bucket = number % BUCKETS;
#else
    unsigned bucket = (unsigned)number % BUCKETS;
#endif
#ifdef UNLOCKED
    counts[bucket]++;
#else
    pthread_mutex_lock(&lock);
    counts[bucket]++;
    pthread_mutex_unlock(&lock);
#endif
  }
  return 0;
}

int main(void) {
  pthread_t t;
  while (__VERIFIER_nondet_int()) pthread_create(&t, 0, count, 0);
  pthread_exit(0);
}
