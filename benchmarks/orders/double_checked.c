// Initialisation that is checked twice, under a lock the second time. Every order is seq_cst.

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

int object;
atomic_int ready;
pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

int get(void) {
  if (!atomic_load(&ready)) {
    pthread_mutex_lock(&mutex);
    if (!atomic_load(&ready)) {
      object = 1;
      atomic_store(&ready, 1);
    }
    pthread_mutex_unlock(&mutex);
  }
  return object;
}

void *first(void *arg) {
  int value = get();
  assert(value == 1);
  return 0;
}

void *second(void *arg) {
  int value = get();
  assert(value == 1);
  return 0;
}

int main(void) {
  pthread_t t, u;
  pthread_create(&t, 0, first, 0);
  pthread_create(&u, 0, second, 0);
  pthread_join(t, 0);
  pthread_join(u, 0);
  return 0;
}
