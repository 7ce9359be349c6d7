// Who sleeps until a flag is raised sleeps forever when the signal comes between the look and the
// sleep: -DUNLOCKED raises the flag without the mutex, -DBLIND does not look, -DOTHER signals another
// condition, -DSILENT none. The flag is atomic: this is about the signal alone.
//
// run: --check deadlock,race
// expect: sc,tso,power,aarch64,riscv,rc11=SAFE
//
// run: --check deadlock -DUNLOCKED
// expect: sc,tso,power,aarch64,riscv,rc11=UNSAFE
//
// run: --check deadlock -DBLIND
// expect: sc,tso,power,aarch64,riscv,rc11=UNSAFE
//
// run: --check deadlock -DOTHER
// expect: sc,tso,power,aarch64,riscv,rc11=UNSAFE
//
// run: --check deadlock -DSILENT
// expect: sc,tso,power,aarch64,riscv,rc11=UNSAFE

#include <pthread.h>
#include <stdatomic.h>

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t raised = PTHREAD_COND_INITIALIZER, other = PTHREAD_COND_INITIALIZER;
atomic_int flag;

void *waiter(void *arg) {
  pthread_mutex_lock(&mutex);
#ifdef BLIND
  pthread_cond_wait(&raised, &mutex);
#else
  while (!flag) pthread_cond_wait(&raised, &mutex);
#endif
  pthread_mutex_unlock(&mutex);
  return 0;
}

int main(void) {
  pthread_t t;
  pthread_create(&t, 0, waiter, 0);
#ifndef UNLOCKED
  pthread_mutex_lock(&mutex);
#endif
  flag = 1;
#ifdef OTHER
  pthread_cond_signal(&other);
#elif !defined SILENT
  pthread_cond_signal(&raised);
#endif
#ifndef UNLOCKED
  pthread_mutex_unlock(&mutex);
#endif
  pthread_join(t, 0);
  return 0;
}
