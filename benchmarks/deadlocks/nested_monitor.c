// A queue with a lock of its own inside an object with another one: the reader waits in the inner
// monitor and gives back its lock alone, and the writer cannot come past the outer one. -DREPAIRED
// leaves the outer lock first.
//
// run: --check deadlock --unwind 1
// expect: all=UNSAFE
//
// run: --check deadlock --unwind 1 -DREPAIRED
// expect: all=HOLDS

#include <pthread.h>

pthread_mutex_t outer = PTHREAD_MUTEX_INITIALIZER, inner = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t filled = PTHREAD_COND_INITIALIZER;
int items;

static void take(void) {
  pthread_mutex_lock(&inner);
  while (items == 0) {
    pthread_cond_wait(&filled, &inner);
  }
  items--;
  pthread_mutex_unlock(&inner);
}

static void put(void) {
  pthread_mutex_lock(&inner);
  items++;
  pthread_cond_signal(&filled);
  pthread_mutex_unlock(&inner);
}

void *reader(void *arg) {
  pthread_mutex_lock(&outer);
#ifdef REPAIRED
  pthread_mutex_unlock(&outer);
#endif
  take();
#ifndef REPAIRED
  pthread_mutex_unlock(&outer);
#endif
  return 0;
}

int main(void) {
  pthread_t t;
  pthread_create(&t, 0, reader, 0);
  pthread_mutex_lock(&outer);
  put();
  pthread_mutex_unlock(&outer);
  pthread_join(t, 0);
  return 0;
}
