// Every thread has an `errno` of its own. Functions of semaphores set it when they fail; those of
// threads return the error and leave it alone.
//
// expect: all=SAFE
//
// run: -DWRONG
// expect: all=UNSAFE

#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>

sem_t s;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

void *other(void *arg) {
  assert(errno == 0);
  assert(pthread_mutex_trylock(&m) == EBUSY && errno == 0);
  errno = 7;
  return 0;
}

int main(void) {
  pthread_t t;
  assert(sem_init(&s, 0, 0) == 0 && errno == 0);
  assert(sem_trywait(&s) == -1);
  assert(errno == EAGAIN);
  pthread_mutex_lock(&m);
  pthread_create(&t, 0, other, 0);
  pthread_join(t, 0);
#ifdef WRONG
  assert(errno == 7);
#else
  assert(errno == EAGAIN);
#endif
  return 0;
}
