// Waiting for a flag with a condition variable. -DIF looks once, though a wait may end without a
// signal; -DUNLOCKED raises the flag without the mutex, so the signal may come between look and wait.
//
// run: --check assert,memory,race
// expect: sc,tso,power,aarch64,riscv,rc11=SAFE
//
// run: -DIF
// expect: sc,tso,power,aarch64,riscv,rc11=UNSAFE
//
// run: -DUNLOCKED --check race
// expect: sc,tso,power,aarch64,riscv,rc11=UNSAFE

#include <assert.h>
#include <pthread.h>

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t raised = PTHREAD_COND_INITIALIZER;
int done, data;

void *child(void *arg) {
#ifndef UNLOCKED
  pthread_mutex_lock(&mutex);
#endif
  data = 42;
  done = 1;
  pthread_cond_signal(&raised);
#ifndef UNLOCKED
  pthread_mutex_unlock(&mutex);
#endif
  return 0;
}

int main(void) {
  pthread_t t;
  pthread_create(&t, 0, child, 0);
  pthread_mutex_lock(&mutex);
#ifdef IF
  if (!done) pthread_cond_wait(&raised, &mutex);
#else
  while (!done) pthread_cond_wait(&raised, &mutex);
#endif
  assert(done && data == 42);
  pthread_mutex_unlock(&mutex);
  pthread_join(t, 0);
  return 0;
}
