// Threads that wait for each other's locks, or for themselves.
//
// run: --check deadlock -DORDER
// expect: all=UNSAFE
//
// run: --check deadlock
// expect: all=SAFE
//
// run: --check deadlock -DTRY
// expect: all=SAFE
//
// run: --check deadlock -DTWICE
// expect: all=UNSAFE
//
// run: --check deadlock -DKEEP
// expect: all=UNSAFE
//
// run: --check deadlock -DREADERS
// expect: all=SAFE
//
// run: --check deadlock -DUPGRADE
// expect: all=UNSAFE
//
// run: --check deadlock -DGATE -DORDER
// expect: all=SAFE

#include <pthread.h>

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, n = PTHREAD_MUTEX_INITIALIZER;
pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
pthread_rwlock_t rw = PTHREAD_RWLOCK_INITIALIZER;
int x;

static void both(pthread_mutex_t *first, pthread_mutex_t *second) {
#ifdef GATE
  pthread_mutex_lock(&gate);
#endif
  pthread_mutex_lock(first);
#ifdef TRY
  if (pthread_mutex_trylock(second) == 0) {
    x++;
    pthread_mutex_unlock(second);
  }
#else
  pthread_mutex_lock(second);
  x++;
  pthread_mutex_unlock(second);
#endif
#ifndef KEEP
  pthread_mutex_unlock(first);
#endif
#ifdef GATE
  pthread_mutex_unlock(&gate);
#endif
}

void *thread0(void *arg) {
#if defined(READERS) || defined(UPGRADE)
  pthread_rwlock_rdlock(&rw);
#ifdef UPGRADE
  pthread_rwlock_wrlock(&rw);
  pthread_rwlock_unlock(&rw);
#endif
  pthread_rwlock_unlock(&rw);
#else
  both(&m, &n);
#endif
  return 0;
}

void *thread1(void *arg) {
#if defined(READERS) || defined(UPGRADE)
  pthread_rwlock_rdlock(&rw);
  pthread_rwlock_unlock(&rw);
#elif defined(ORDER) || defined(TRY)
  both(&n, &m);
#else
  both(&m, &n);
#endif
  return 0;
}

int main(void) {
  pthread_t t0, t1;
#ifdef TWICE
  pthread_mutex_lock(&m);
  pthread_mutex_lock(&m);
#endif
  pthread_create(&t0, 0, thread0, 0);
  pthread_create(&t1, 0, thread1, 0);
  pthread_join(t0, 0);
  pthread_join(t1, 0);
  return 0;
}
