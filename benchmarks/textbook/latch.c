// A latch: main waits until three threads have counted it down. -DBROKEN counts without the mutex.
//
// run: --check assert,memory,race
// expect: sc,tso,power,aarch64,riscv,rc11=SAFE
//
// run: --check race -DBROKEN
// expect: sc,tso,power,aarch64,riscv,rc11=UNSAFE

#include <assert.h>
#include <pthread.h>

#define COUNT 3

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t zero = PTHREAD_COND_INITIALIZER;
int left = COUNT, work[COUNT];

void *worker(void *arg) {
  work[(long)arg] = 1;
#ifdef BROKEN
  if (--left == 0) pthread_cond_signal(&zero);
#else
  pthread_mutex_lock(&mutex);
  if (--left == 0) pthread_cond_signal(&zero);
  pthread_mutex_unlock(&mutex);
#endif
  return 0;
}

int main(void) {
  pthread_t t[COUNT];
  for (long i = 0; i < COUNT; i++) pthread_create(&t[i], 0, worker, (void *)i);
  pthread_mutex_lock(&mutex);
  while (left > 0) pthread_cond_wait(&zero, &mutex);
  pthread_mutex_unlock(&mutex);
  for (int i = 0; i < COUNT; i++) assert(work[i]);
  return 0;
}
