// A semaphore made of a mutex and a condition variable, used as a lock. -DBROKEN looks once before it
// takes a permit.
//
// run: --check assert,memory,race
// expect: sc,tso,power,aarch64,riscv,rc11=SAFE
//
// run: -DBROKEN
// expect: sc,tso,power,aarch64,riscv,rc11=UNSAFE

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t nonzero = PTHREAD_COND_INITIALIZER;
int permits = 1;

void lock(void) {
#ifdef BROKEN
  pthread_mutex_lock(&mutex);
  if (permits == 0)
    pthread_cond_wait(&nonzero, &mutex);
  permits--;
  pthread_mutex_unlock(&mutex);
#else
  pthread_mutex_lock(&mutex);
  while (permits == 0)
    pthread_cond_wait(&nonzero, &mutex);
  permits--;
  pthread_mutex_unlock(&mutex);
#endif
}

void unlock(void) {
  pthread_mutex_lock(&mutex);
  permits++;
  pthread_cond_signal(&nonzero);
  pthread_mutex_unlock(&mutex);
}

int shared;

void *worker(void *arg) {
  lock();
  shared++;
  unlock();
  return 0;
}

int main(void) {
  pthread_t t;
  pthread_create(&t, 0, worker, 0);
  worker(0);
  pthread_join(t, 0);
  assert(shared == 2);
  return 0;
}
