// A car park with as many places as an input says: cars wait at both ends with condition variables.
// -DIF looks once whether there is room, -DLOST forgets a place.
//
// run:
// expect: sc=SAFE tso=SAFE pso=SAFE rc11=SAFE aarch64=SAFE riscv=SAFE power=SAFE
//
// run: --unwind 2 -DIF
// expect: sc=UNSAFE tso=UNSAFE rc11=UNSAFE aarch64=UNSAFE
//
// run: --unwind 2 -DLOST
// expect: sc=UNSAFE tso=UNSAFE rc11=UNSAFE aarch64=UNSAFE

#include <assert.h>
#include <pthread.h>

extern int __VERIFIER_nondet_int(void);

int places, used, left;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t changed = PTHREAD_COND_INITIALIZER;

#ifdef IF
#define WAIT(full) if (full) pthread_cond_wait(&changed, &lock)
#else
#define WAIT(full) while (full) pthread_cond_wait(&changed, &lock)
#endif

void *car(void *arg) {
  pthread_mutex_lock(&lock);
  WAIT(left == 0);
  left--;
  used++;
  assert(0 <= left && used <= places && used + left == places);
  pthread_mutex_unlock(&lock);

  pthread_mutex_lock(&lock);
  if (used > 0) {
    used--;
#ifndef LOST
    left++;
#endif
  }
  pthread_cond_broadcast(&changed);
  pthread_mutex_unlock(&lock);
  return 0;
}

int main(void) {
  pthread_t t;
  places = __VERIFIER_nondet_int();
  if (places < 1) return 0;
  left = places;
  for (;;) pthread_create(&t, 0, car, 0);
}
