// A wake-up that is lost: the waker looks once whether somebody sleeps. -DSET sets the flag whether or not.
//
// run: --check termination
// expect: all=UNSAFE
//
// run: --check termination -DSET
// expect: all=SAFE

#include <pthread.h>
#include <stdatomic.h>

atomic_int sleeping, awake;

void *sleeper(void *arg) {
  sleeping = 1;
  while (!awake) {
  }
  return 0;
}

void *waker(void *arg) {
#ifdef SET
  awake = 1;
#else
  if (sleeping)
    awake = 1;
#endif
  return 0;
}

int main(void) {
  pthread_t t[2];
  pthread_create(&t[0], 0, sleeper, 0);
  pthread_create(&t[1], 0, waker, 0);
  pthread_join(t[0], 0);
  pthread_join(t[1], 0);
  return 0;
}
