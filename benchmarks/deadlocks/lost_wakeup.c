// The flag is raised and the condition signalled without the mutex, so that the signal can fall
// between the waiter's look and its wait. -DLOCKED raises it under the mutex. The flag is atomic:
// this is about the signal alone.
//
// run: --check deadlock --unwind 1
// expect: all=UNSAFE
//
// run: --check deadlock --unwind 1 -DLOCKED
// expect: all=HOLDS

#include <pthread.h>
#include <stdatomic.h>

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t raised = PTHREAD_COND_INITIALIZER;
atomic_int flag;

void *waiter(void *arg) {
  pthread_mutex_lock(&mutex);
  while (!flag) {
    pthread_cond_wait(&raised, &mutex);
  }
  pthread_mutex_unlock(&mutex);
  return 0;
}

int main(void) {
  pthread_t t;
  pthread_create(&t, 0, waiter, 0);
#ifdef LOCKED
  pthread_mutex_lock(&mutex);
#endif
  flag = 1;
#ifdef LOCKED
  pthread_mutex_unlock(&mutex);
#endif
  pthread_cond_signal(&raised);
  pthread_join(t, 0);
  return 0;
}
