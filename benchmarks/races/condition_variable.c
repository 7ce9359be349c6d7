// A message under a mutex, and a condition variable to wait for it.
//
// run: --check race --unwind 2
// expect: all=HOLDS

#include <pthread.h>

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
int message, ready;

void *sender(void *arg) {
  pthread_mutex_lock(&mutex);
  message = 42;
  ready = 1;
  pthread_mutex_unlock(&mutex);
  pthread_cond_signal(&changed);
  return 0;
}

int main(void) {
  pthread_t t;
  pthread_create(&t, 0, sender, 0);
  pthread_mutex_lock(&mutex);
  while (!ready) {
    pthread_cond_wait(&changed, &mutex);
  }
  pthread_mutex_unlock(&mutex);
  message++;
  pthread_join(t, 0);
  return message != 43;
}
