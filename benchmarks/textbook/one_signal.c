// Two threads wait for one event. A broadcast wakes both; -DSIGNAL wakes one of them.
//
// run: --check deadlock
// expect: sc,tso,power,aarch64,riscv,rc11=SAFE
//
// run: --check deadlock -DSIGNAL
// expect: sc,tso,power,aarch64,riscv,rc11=UNSAFE

#include <pthread.h>

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t opened = PTHREAD_COND_INITIALIZER;
int open;

void *waiter(void *arg) {
  pthread_mutex_lock(&mutex);
  while (!open) pthread_cond_wait(&opened, &mutex);
  pthread_mutex_unlock(&mutex);
  return 0;
}

int main(void) {
  pthread_t t[2];
  for (int i = 0; i < 2; i++) pthread_create(&t[i], 0, waiter, 0);
  pthread_mutex_lock(&mutex);
  open = 1;
#ifdef SIGNAL
  pthread_cond_signal(&opened);
#else
  pthread_cond_broadcast(&opened);
#endif
  pthread_mutex_unlock(&mutex);
  for (int i = 0; i < 2; i++) pthread_join(t[i], 0);
  return 0;
}
