// Locks and other objects that nobody initialised are no objects, but in static storage, and where
// memory is zero; threads that wait on one condition variable at a time have one mutex.
//
// run: -DSTACK --check misuse
// expect: all=UNSAFE
//
// run: -DHEAP --check misuse
// expect: all=UNSAFE
//
// run: -DPARTLY --check misuse
// expect: all=UNSAFE
//
// run: -DSEMAPHORE --check misuse
// expect: all=UNSAFE
//
// run: -DPOST --check misuse
// expect: all=UNSAFE
//
// run: -DREADER --check misuse
// expect: all=UNSAFE
//
// run: -DONCE --check misuse
// expect: all=UNSAFE
//
// run: -DCONDITION --check misuse
// expect: all=UNSAFE
//
// run: -DCONDITION --check misuse,deadlock
// expect: all=UNSAFE
//
// run: -DBARRIER --check misuse
// expect: all=UNSAFE
//
// run: -DJOIN --check misuse
// expect: all=UNSAFE
//
// run: -DZERO --check misuse
// expect: all=SAFE
//
// run: -DSTATIC --check misuse
// expect: all=SAFE
//
// run: -DTWO --check misuse
// expect: all=UNSAFE
//
// run: -DTWO -DONE_BY_ONE --check misuse
// expect: all=SAFE

#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, n, *pointer = &n;
pthread_cond_t c, *where = &c;

static void nothing(void) {}

static void *waits(void *mutex) {
  pthread_mutex_lock(mutex);
  pthread_cond_wait(&c, mutex);
  pthread_mutex_unlock(mutex);
  return 0;
}

int main(void) {
  pthread_t t;
#ifdef STACK
  pthread_mutex_t lock;
  pthread_mutex_lock(&lock);
#endif
#ifdef HEAP
  pthread_mutex_t *lock = malloc(sizeof *lock);
  if (lock && pthread_mutex_trylock(lock) == 0) pthread_mutex_unlock(lock);
#endif
#ifdef PARTLY
  struct { pthread_mutex_t first, second; } both;
  pthread_mutex_init(&both.first, 0);
  pthread_mutex_lock(&both.first);
  pthread_mutex_lock(&both.second);
#endif
#ifdef SEMAPHORE
  sem_t sem;
  sem_wait(&sem);
#endif
#ifdef POST
  sem_t sem;
  sem_post(&sem);
#endif
#ifdef READER
  pthread_rwlock_t lock;
  pthread_rwlock_rdlock(&lock);
#endif
#ifdef ONCE
  pthread_once_t once;
  pthread_once(&once, nothing);
#endif
#ifdef CONDITION
  pthread_cond_t condition;
  pthread_cond_signal(&condition);
#endif
#ifdef BARRIER
  pthread_barrier_t barrier;
  pthread_barrier_wait(&barrier);
#endif
#ifdef JOIN
  pthread_join(t, 0);
#endif
#ifdef ZERO
  pthread_mutex_t *lock = calloc(1, sizeof *lock);
  if (lock) {
    pthread_mutex_lock(lock);
    pthread_mutex_unlock(lock);
    free(lock);
  }
#endif
#ifdef STATIC
  pthread_mutex_lock(pointer);
  pthread_cond_signal(where);
  pthread_mutex_unlock(pointer);
#endif
#ifdef TWO
  pthread_create(&t, 0, waits, &m);
#ifdef ONE_BY_ONE
  pthread_join(t, 0);
#endif
  waits(&n);
#endif
  return 0;
}
