// A thread that serves forever does not terminate, though it waits for nothing. -DSTOPS is told to stop.
//
// run: --check termination
// expect: all=UNSAFE
//
// run: --check termination -DSTOPS
// expect: all=SAFE

#include <pthread.h>
#include <stdatomic.h>

atomic_int stop;

void *server(void *arg) {
#ifdef STOPS
  while (!stop) {
  }
#else
  for (;;) {
  }
#endif
  return 0;
}

void *client(void *arg) {
  stop = 1;
  return 0;
}

int main(void) {
  pthread_t t[2];
  pthread_create(&t[0], 0, server, 0);
  pthread_create(&t[1], 0, client, 0);
  pthread_join(t[0], 0);
  pthread_join(t[1], 0);
  return 0;
}
