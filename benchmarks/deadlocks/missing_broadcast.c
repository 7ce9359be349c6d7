// Two threads wait for one event, and the signal wakes one of them. -DBROADCAST wakes both.
//
// run: --check deadlock --unwind 2
// expect: sc,tso,pso,rmo,alpha,power2010=UNSAFE
//
// run: --check deadlock --unwind 2 -DBROADCAST
// expect: sc,tso,pso,rmo,alpha,power2010=HOLDS

#include <pthread.h>

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t opened = PTHREAD_COND_INITIALIZER;
int open;

void *visitor(void *arg) {
  pthread_mutex_lock(&mutex);
  while (!open) {
    pthread_cond_wait(&opened, &mutex);
  }
  pthread_mutex_unlock(&mutex);
  return 0;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, visitor, 0);
  pthread_create(&b, 0, visitor, 0);
  pthread_mutex_lock(&mutex);
  open = 1;
#ifdef BROADCAST
  pthread_cond_broadcast(&opened);
#else
  pthread_cond_signal(&opened);
#endif
  pthread_mutex_unlock(&mutex);
  pthread_join(a, 0);
  pthread_join(b, 0);
  return 0;
}
