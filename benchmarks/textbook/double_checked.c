// Once-initialisation with double-checked locking. -DBROKEN publishes without release.
//
// run: --check assert,memory,race
// expect: sc,tso,power,aarch64,riscv,rc11=SAFE
//
// run: --check race -DBROKEN
// expect: sc,tso,power,aarch64,riscv,rc11=UNSAFE

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifdef BROKEN
#define RELEASE memory_order_relaxed
#else
#define RELEASE memory_order_release
#endif

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
atomic_int ready;
int value, times;

int get(void) {
  if (!atomic_load_explicit(&ready, memory_order_acquire)) {
    pthread_mutex_lock(&mutex);
    if (!atomic_load_explicit(&ready, memory_order_relaxed)) {
      value = 42;
      times++;
      atomic_store_explicit(&ready, 1, RELEASE);
    }
    pthread_mutex_unlock(&mutex);
  }
  return value;
}

void *user(void *arg) {
  assert(get() == 42);
  return 0;
}

int main(void) {
  pthread_t t;
  pthread_create(&t, 0, user, 0);
  user(0);
  pthread_join(t, 0);
  assert(times == 1);
  return 0;
}
