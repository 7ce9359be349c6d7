// A waiter's local is written by another thread for the last time, then the waiter returns: the
// local exists when it is written, on every machine, as the waiter has read that write.
//
// run: --check memory
// expect: all=SAFE
//
// The waiter does not wait.
// run: --check memory -DLEAVE
// expect: all=UNSAFE
//
// The waker looks again.
// run: --check memory -DAGAIN
// expect: all=UNSAFE

#include <pthread.h>

static int *volatile box;

static void *waiter(void *a) {
  volatile int go = 0;
  box = (int *)&go;
#ifndef LEAVE
  while (go == 0) {
  }
#endif
  return 0;
}

static void *waker(void *a) {
  volatile int *p;
  while ((p = box) == 0) {
  }
  *p = 1;
#ifdef AGAIN
  int seen = *p;
#endif
  return 0;
}

int main(void) {
  pthread_t t, u;
  pthread_create(&t, 0, waiter, 0);
  pthread_create(&u, 0, waker, 0);
  pthread_join(t, 0);
  pthread_join(u, 0);
  return 0;
}
