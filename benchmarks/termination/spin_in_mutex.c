// A thread spins with a mutex held for what another one does under that mutex: one spins, one waits. -DRELEASES gives
// the mutex back first. Both kinds of question find it.
//
// run: --check termination
// expect: all=UNSAFE
//
// run: --check termination -DRELEASES
// expect: all=SAFE

#include <pthread.h>
#include <stdatomic.h>

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
atomic_int done;

void *waiter(void *arg) {
  pthread_mutex_lock(&mutex);
#ifdef RELEASES
  pthread_mutex_unlock(&mutex);
#endif
  while (!done) {
  }
#ifndef RELEASES
  pthread_mutex_unlock(&mutex);
#endif
  return 0;
}

void *worker(void *arg) {
  pthread_mutex_lock(&mutex);
  done = 1;
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
