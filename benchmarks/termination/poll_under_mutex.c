// A thread polls a flag under a mutex. -DNEVER does not set it.
//
// run: --check termination
// expect: all=SAFE
//
// run: --check termination -DNEVER
// expect: all=UNSAFE

#include <pthread.h>
#include <stdatomic.h>

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
int done;

void *waiter(void *arg) {
  for (;;) {
    pthread_mutex_lock(&mutex);
    int now = done;
    pthread_mutex_unlock(&mutex);
    if (now)
      return 0;
  }
}

void *worker(void *arg) {
  pthread_mutex_lock(&mutex);
#ifndef NEVER
  done = 1;
#endif
  pthread_mutex_unlock(&mutex);
  return 0;
}

int main(void) {
  pthread_t t[2];
  pthread_create(&t[0], 0, waiter, 0);
  pthread_create(&t[1], 0, worker, 0);
  pthread_join(t[0], 0);
  pthread_join(t[1], 0);
  return 0;
}
