/* The functions on locks and threads, as one thread sees them. */
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <time.h>

static int runs;
static void once_only(void) { runs++; }
static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t key;
static _Thread_local int mine = 4;

static void note(void *arg) { *(int *)arg += 10; }

static void *child(void *arg) {
  assert(pthread_getspecific(key) == NULL && mine == 4);
  pthread_setspecific(key, arg);
  mine = 5;
  assert(pthread_getspecific(key) == arg);
  pthread_exit((void *)((char *)arg + 1));
}

int main(void) {
  struct timespec now = {0, 0};
  pthread_mutexattr_t attributes;
  pthread_mutexattr_init(&attributes);
  pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_RECURSIVE);
  pthread_mutex_t recursive, checking, plain = PTHREAD_MUTEX_INITIALIZER;
  pthread_mutex_init(&recursive, &attributes);
  pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_ERRORCHECK);
  int type;
  pthread_mutexattr_gettype(&attributes, &type);
  assert(type == PTHREAD_MUTEX_ERRORCHECK);
  pthread_mutex_init(&checking, &attributes);

  assert(pthread_mutex_lock(&recursive) == 0 && pthread_mutex_lock(&recursive) == 0);
  assert(pthread_mutex_trylock(&recursive) == 0);
  assert(pthread_mutex_unlock(&recursive) == 0 && pthread_mutex_unlock(&recursive) == 0);
  assert(pthread_mutex_unlock(&recursive) == 0 && pthread_mutex_unlock(&recursive) == EPERM);
  assert(pthread_mutex_lock(&checking) == 0 && pthread_mutex_lock(&checking) == EDEADLK);
  assert(pthread_mutex_trylock(&checking) == EBUSY);
  assert(pthread_mutex_unlock(&checking) == 0 && pthread_mutex_unlock(&checking) == EPERM);
  assert(pthread_mutex_lock(&plain) == 0 && pthread_mutex_trylock(&plain) == EBUSY);
  assert(pthread_mutex_timedlock(&plain, &now) == ETIMEDOUT);
  assert(pthread_mutex_unlock(&plain) == 0 && pthread_mutex_trylock(&plain) == 0);
  assert(pthread_mutex_unlock(&plain) == 0);

  pthread_rwlock_t rw = PTHREAD_RWLOCK_INITIALIZER;
  assert(pthread_rwlock_rdlock(&rw) == 0 && pthread_rwlock_tryrdlock(&rw) == 0);
  assert(pthread_rwlock_trywrlock(&rw) == EBUSY && pthread_rwlock_timedwrlock(&rw, &now) == ETIMEDOUT);
  assert(pthread_rwlock_unlock(&rw) == 0 && pthread_rwlock_unlock(&rw) == 0);
  assert(pthread_rwlock_wrlock(&rw) == 0 && pthread_rwlock_tryrdlock(&rw) == EBUSY);
  assert(pthread_rwlock_unlock(&rw) == 0);

  sem_t s;
  int value;
  assert(sem_init(&s, 0, 1) == 0 && sem_wait(&s) == 0 && sem_trywait(&s) == -1);
  assert(sem_timedwait(&s, &now) == -1 && sem_post(&s) == 0 && sem_getvalue(&s, &value) == 0);
  assert(value == 1);
  pthread_spinlock_t spin;
  pthread_spin_init(&spin, 0);
  assert(pthread_spin_lock(&spin) == 0 && pthread_spin_trylock(&spin) == EBUSY);
  assert(pthread_spin_unlock(&spin) == 0);

  pthread_cleanup_push(note, &runs);
  runs++;
  pthread_cleanup_pop(1);
  assert(runs == 11);
  runs = 0;
  pthread_once(&once, once_only);
  pthread_once(&once, once_only);
  assert(runs == 1);
  assert(pthread_key_create(&key, NULL) == 0);
  int data[2];
  pthread_setspecific(key, data);
  pthread_t t;
  void *result;
  assert(pthread_create(&t, NULL, child, data) == 0 && pthread_join(t, &result) == 0);
  assert(result == (char *)data + 1 && pthread_getspecific(key) == data && mine == 4);
  assert(pthread_equal(pthread_self(), pthread_self()) && !pthread_equal(t, pthread_self()));
  return 0;
}
