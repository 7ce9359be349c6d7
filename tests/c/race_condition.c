// A condition variable hands a message over; the mutex is what orders the accesses.
//
// run: --check race --unwind 2
// expect: all=HOLDS
//
// run: --check race --unwind 2 -DEARLY
// expect: all=UNSAFE

#include <pthread.h>

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t c = PTHREAD_COND_INITIALIZER;
int full, message;

void *consumer(void *arg) {
#ifdef EARLY
  message++;
#endif
  pthread_mutex_lock(&m);
  while (!full)
    pthread_cond_wait(&c, &m);
  pthread_mutex_unlock(&m);
  message++;
  return 0;
}

int main(void) {
  pthread_t t;
  pthread_create(&t, 0, consumer, 0);
  message = 1;
  pthread_mutex_lock(&m);
  full = 1;
  pthread_cond_signal(&c);
  pthread_mutex_unlock(&m);
  pthread_join(t, 0);
  return message;
}
