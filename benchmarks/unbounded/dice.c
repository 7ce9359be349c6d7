// Any number of players draw numbers of a generator, whose terms share their operands many times over, and count some.
// -DOUTSIDE counts without the lock.
//
// run: --check race
// expect: sc=SAFE tso=SAFE pso=SAFE rc11=SAFE aarch64=SAFE riscv=SAFE power=SAFE
//
// run: --check race --unwind 1 -DOUTSIDE
// expect: sc=UNSAFE tso=UNSAFE rc11=UNSAFE aarch64=UNSAFE

#include <pthread.h>

unsigned seed = 1;
int liked;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static unsigned next(unsigned x) {
  x ^= x << 13;
  x ^= x >> 17;
  x ^= x << 5;
  return x;
}

static unsigned far(unsigned x) { return next(next(next(next(next(next(next(next(x)))))))); }

void *player(void *arg) {
  pthread_mutex_lock(&lock);
  unsigned drawn = seed = far(seed);
  pthread_mutex_unlock(&lock);
  if (far(drawn) & 1) {
#ifndef OUTSIDE
    pthread_mutex_lock(&lock);
#endif
    liked++;
#ifndef OUTSIDE
    pthread_mutex_unlock(&lock);
#endif
  }
  return 0;
}

int main(void) {
  pthread_t t;
#ifdef OUTSIDE
  pthread_create(&t, 0, player, 0);
  pthread_create(&t, 0, player, 0);
#else
  for (;;) pthread_create(&t, 0, player, 0);
#endif
}
