// Threads take what is free of a pool of as many places as an input says, use it and give it back.
// -DOUTSIDE gives it back without the lock.
//
// run: --check memory,misuse,race
// expect: sc=SAFE tso=SAFE pso=SAFE rc11=SAFE aarch64=SAFE riscv=SAFE power=SAFE
//
// run: --check race --unwind 2 -DOUTSIDE -DMOST=1
// expect: sc=UNSAFE tso=UNSAFE rc11=UNSAFE aarch64=UNSAFE

#include <pthread.h>
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

#ifndef MOST
#define MOST 1000
#endif

int places;
char *taken;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void *guest(void *arg) {
  int place = -1;
  pthread_mutex_lock(&lock);
  for (int i = 0; i < places; i++)
    if (!taken[i]) {
      place = i;
      taken[i] = 1;
      break;
    }
  pthread_mutex_unlock(&lock);
  if (place < 0) return 0;
#ifndef OUTSIDE
  pthread_mutex_lock(&lock);
#endif
  taken[place] = 0;
#ifndef OUTSIDE
  pthread_mutex_unlock(&lock);
#endif
  return 0;
}

int main(void) {
  pthread_t t;
  places = __VERIFIER_nondet_int();
  if (places < 1 || places > MOST) return 0;
  taken = calloc(places, 1);
  if (!taken) return 0;
  for (;;) pthread_create(&t, 0, guest, 0);
}
