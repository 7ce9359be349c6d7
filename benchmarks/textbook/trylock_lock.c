// Trying to lock until that succeeds. -DBROKEN gives up after the second time.
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
static _Thread_local int held;

void lock(void) {
#ifdef BROKEN
  held = !pthread_mutex_trylock(&mutex) || !pthread_mutex_trylock(&mutex);
#else
  while (pthread_mutex_trylock(&mutex))
    ;
  held = 1;
#endif
}

void unlock(void) {
  if (held) pthread_mutex_unlock(&mutex);
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
