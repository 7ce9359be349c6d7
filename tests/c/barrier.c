// Everything before a barrier is seen behind it, and one thread of each round is told so.
//
// expect: all=SAFE
//
// run: -DNONE
// expect: all=UNSAFE

#include <assert.h>
#include <pthread.h>

pthread_barrier_t barrier;
int a, b, serial;

static void meet(void) {
#ifndef NONE
  if (pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD)
    __atomic_fetch_add(&serial, 1, __ATOMIC_RELAXED);
#endif
}

void *other(void *arg) {
  b = 1;
  meet();
  assert(a == 1);
  return 0;
}

int main(void) {
  pthread_t t;
  pthread_barrier_init(&barrier, 0, 2);
  pthread_create(&t, 0, other, 0);
  a = 1;
  meet();
  assert(b == 1);
  pthread_join(t, 0);
#ifndef NONE
  assert(serial == 1);
#endif
  return 0;
}
