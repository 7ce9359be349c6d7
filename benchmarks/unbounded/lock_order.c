// Any number of threads move money between two accounts, each with a lock: always the first one first.
// -DEITHER takes them as they come, -DTWICE takes one again, -DKEEPS ends with a lock, -DJOINS joins a thread while it
// has its lock.
//
// run: --check deadlock,race,misuse
// expect: sc=SAFE tso=SAFE pso=SAFE rc11=SAFE aarch64=SAFE riscv=SAFE power=SAFE
//
// run: --check deadlock --unwind 2 -DEITHER
// expect: sc=UNSAFE tso=UNSAFE rc11=UNSAFE aarch64=UNSAFE
//
// run: --check deadlock --unwind 2 -DTWICE
// expect: sc=UNSAFE tso=UNSAFE rc11=UNSAFE aarch64=UNSAFE
//
// run: --check deadlock --unwind 2 -DKEEPS
// expect: sc=UNSAFE tso=UNSAFE rc11=UNSAFE aarch64=UNSAFE
//
// run: --check deadlock --unwind 2 -DJOINS
// expect: sc=UNSAFE tso=UNSAFE rc11=UNSAFE aarch64=UNSAFE

#include <pthread.h>

extern int __VERIFIER_nondet_int(void);

struct account {
  pthread_mutex_t lock;
  long balance;
} first = {PTHREAD_MUTEX_INITIALIZER, 0}, second = {PTHREAD_MUTEX_INITIALIZER, 0};
pthread_mutex_t log_lock = PTHREAD_MUTEX_INITIALIZER;
int entries;

void note(void) {
  pthread_mutex_lock(&log_lock);
  entries = entries < 1000 ? entries + 1 : 0;
  pthread_mutex_unlock(&log_lock);
}

void *mover(void *arg) {
  int amount = __VERIFIER_nondet_int();
#ifdef EITHER
  if (amount < 0) {
    pthread_mutex_lock(&second.lock);
    pthread_mutex_lock(&first.lock);
  } else
#endif
  {
    pthread_mutex_lock(&first.lock);
    pthread_mutex_lock(&second.lock);
  }
  first.balance -= amount;
  second.balance += amount;
  note();
#ifdef TWICE
  if (amount == 7) pthread_mutex_lock(&first.lock);
#endif
#ifdef KEEPS
  if (amount == 7) return 0;
#endif
  pthread_mutex_unlock(&second.lock);
  pthread_mutex_unlock(&first.lock);
  return 0;
}

int main(void) {
  pthread_t thread;
  for (int i = 0; i < __VERIFIER_nondet_int(); i++) {
    pthread_create(&thread, 0, mover, 0);
#ifdef JOINS
    pthread_mutex_lock(&first.lock);
    pthread_join(thread, 0);
    pthread_mutex_unlock(&first.lock);
#endif
  }
  pthread_exit(0);
}
