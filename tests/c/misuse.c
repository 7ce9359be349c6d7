// What POSIX and C11 call undefined of the thread library is misuse, on every model.
//
// run: -DOWNER
// expect: all=UNSAFE
//
// run: -DNEVER
// expect: all=UNSAFE
//
// run: -DREADER
// expect: all=UNSAFE
//
// run: -DJOIN
// expect: all=UNSAFE
//
// run: -DJOIN_BOTH
// expect: all=UNSAFE
//
// run: -DDETACHED
// expect: all=UNSAFE
//
// run: -DNOBODY
// expect: all=UNSAFE
//
// run: -DWAIT
// expect: all=UNSAFE
//
// run: -DTWICE
// expect: all=UNSAFE
//
// run: -DHELD
// expect: all=UNSAFE
//
// run: -DRIGHT
// expect: all=SAFE
//
// run: -DRIGHT --check assert,memory
// expect: all=SAFE
//
// run: -DOWNER --check assert,memory
// expect: all=UNKNOWN
//
// run: -DJOIN --check assert,memory
// expect: all=UNKNOWN

#include <pthread.h>

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, n;
pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
pthread_cond_t c = PTHREAD_COND_INITIALIZER;
pthread_t t, u;

void *worker(void *arg) {
#if defined OWNER
  pthread_mutex_unlock(&m);
#elif defined READER
  pthread_rwlock_unlock(&lock);
#elif defined DETACHED
  pthread_detach(pthread_self());
#elif defined RIGHT
  pthread_rwlock_rdlock(&lock);
  pthread_rwlock_rdlock(&lock);
  pthread_rwlock_unlock(&lock);
  if (pthread_mutex_trylock(&m) == 0) pthread_mutex_unlock(&m);
  pthread_rwlock_unlock(&lock);
#endif
  return arg;
}

#if defined JOIN_BOTH
void *joiner(void *arg) {
  pthread_join(t, 0);
  return arg;
}
#endif

int main(void) {
  pthread_mutex_lock(&m);
#if defined NEVER
  pthread_mutex_unlock(&n);
#elif defined READER
  pthread_rwlock_rdlock(&lock);
#elif defined NOBODY
  pthread_join(u, 0);
#elif defined WAIT
  pthread_cond_wait(&c, &n);
#elif defined TWICE
  pthread_mutex_init(&n, 0);
  pthread_mutex_init(&n, 0);
#elif defined HELD
  pthread_mutex_destroy(&m);
#elif defined RIGHT
  for (int i = 0; i < 2; i++) {
    pthread_mutex_init(&n, 0);
    pthread_mutex_destroy(&n);
  }
#endif
  pthread_create(&t, 0, worker, 0);
#if defined JOIN_BOTH
  pthread_create(&u, 0, joiner, 0);
#endif
  pthread_mutex_unlock(&m);
  pthread_join(t, 0);
#if defined JOIN
  pthread_join(t, 0);
#endif
  return 0;
}
