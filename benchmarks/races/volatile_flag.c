// `volatile` is for devices: an access to a volatile object is not atomic, and it orders nothing
// between threads. So the flag races, even if nothing else did.
//
// run: --check race --unwind 1
// expect: all=UNSAFE

#include <pthread.h>

volatile int stop;

void *worker(void *arg) {
  while (!stop) {
  }
  return 0;
}

int main(void) {
  pthread_t t;
  pthread_create(&t, 0, worker, 0);
  stop = 1;
  pthread_join(t, 0);
  return 0;
}
