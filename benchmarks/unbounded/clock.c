// A clock that any number of threads turn on and read, under a lock.
// -DLATE lets the minutes reach 60 while the lock is not held, -DBACK turns it back without a look at the hour.
//
// run:
// expect: sc=SAFE tso=SAFE pso=SAFE rc11=SAFE aarch64=SAFE riscv=SAFE power=SAFE
//
// run: --unwind 2 -DLATE
// expect: sc=UNSAFE tso=UNSAFE rc11=UNSAFE aarch64=UNSAFE
//
// run: --unwind 2 -DBACK
// expect: sc=UNSAFE tso=UNSAFE rc11=UNSAFE aarch64=UNSAFE

#include <assert.h>
#include <pthread.h>

extern int __VERIFIER_nondet_int(void);

int hour, minute;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void *turn(void *arg) {
  pthread_mutex_lock(&lock);
#ifdef BACK
  if (--minute < 0) {
    minute = 59;
    hour--;
  }
#else
  minute += 1 + (__VERIFIER_nondet_int() & 31);
#ifdef LATE
  pthread_mutex_unlock(&lock);
  pthread_mutex_lock(&lock);
#endif
  if (minute >= 60) {
    minute -= 60;
    hour = (hour + 1) % 24;
  }
#endif
  pthread_mutex_unlock(&lock);
  return 0;
}

void *look(void *arg) {
  pthread_mutex_lock(&lock);
  assert(0 <= hour && hour < 24 && 0 <= minute && minute < 60);
  pthread_mutex_unlock(&lock);
  return 0;
}

int main(void) {
  pthread_t t;
  hour = 23;
#ifdef LATE
  minute = 59;
#endif
#ifdef BACK
  hour = 0;
#endif
  for (;;) pthread_create(&t, 0, __VERIFIER_nondet_int() ? turn : look, 0);
}
