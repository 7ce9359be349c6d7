// A barrier made of a mutex, a counter and a condition variable. -DBROKEN looks once whether all have
// come.
//
// run:
// expect: sc,tso,power,aarch64,riscv,rc11=SAFE
//
// run: -DBROKEN
// expect: sc,tso,power,aarch64,riscv,rc11=UNSAFE

#include <assert.h>
#include <pthread.h>

#define COUNT 3

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t all = PTHREAD_COND_INITIALIZER;
int arrived, before[COUNT];

void barrier(void) {
  pthread_mutex_lock(&mutex);
  arrived++;
  if (arrived == COUNT) pthread_cond_broadcast(&all);
#ifdef BROKEN
  if (arrived < COUNT) pthread_cond_wait(&all, &mutex);
#else
  while (arrived < COUNT) pthread_cond_wait(&all, &mutex);
#endif
  pthread_mutex_unlock(&mutex);
}

void *worker(void *arg) {
  int me = (int)(long)arg;
  before[me] = 1;
  barrier();
  for (int i = 0; i < COUNT; i++) assert(before[i]);
  return 0;
}

int main(void) {
  pthread_t t[COUNT - 1];
  for (int i = 1; i < COUNT; i++) pthread_create(&t[i - 1], 0, worker, (void *)(long)i);
  worker(0);
  for (int i = 1; i < COUNT; i++) pthread_join(t[i - 1], 0);
  return 0;
}
