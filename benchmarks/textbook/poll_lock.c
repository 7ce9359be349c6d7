// A thread polls under a lock until another one has set a flag there. -DBROKEN looks without the lock.
//
// run:
// expect: sc,tso,power,aarch64,riscv,rc11=SAFE
//
// run: --check race -DBROKEN
// expect: sc,tso,power,aarch64,riscv,rc11=UNSAFE

#include <assert.h>
#include <pthread.h>

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int done, data;

void *work(void *arg) {
  pthread_mutex_lock(&lock);
  data = 1;
  pthread_mutex_unlock(&lock);
  pthread_mutex_lock(&lock);
  done = 1;
  pthread_mutex_unlock(&lock);
  return 0;
}

int main(void) {
  pthread_t t;
  int seen = 0;
  pthread_create(&t, 0, work, 0);
  while (!seen) {
#ifndef BROKEN
    pthread_mutex_lock(&lock);
#endif
    seen = done;
#ifndef BROKEN
    pthread_mutex_unlock(&lock);
#endif
  }
  assert(data == 1);
  pthread_join(t, 0);
  return 0;
}
