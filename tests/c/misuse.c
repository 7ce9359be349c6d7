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
// run: -DBARRIER
// expect: all=UNSAFE
//
// run: -DARRIVED
// expect: all=UNSAFE
//
// run: -DSLEEPER --check misuse,deadlock
// expect: all=UNSAFE
//
// run: -DATTRIBUTE
// expect: all=UNSAFE
//
// run: -DRECURSIVE
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
#include <threads.h>

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, n;
pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
pthread_cond_t c = PTHREAD_COND_INITIALIZER;
pthread_barrier_t barrier;
#if defined RECURSIVE
mtx_t again;
#endif
pthread_t t, u;

void *worker(void *arg) {
#if defined OWNER
  pthread_mutex_unlock(&m);
#elif defined READER
  pthread_rwlock_unlock(&lock);
#elif defined DETACHED
  pthread_detach(pthread_self());
#elif defined ARRIVED
  pthread_barrier_wait(&barrier);
#elif defined SLEEPER
  pthread_mutex_lock(&m);
  pthread_cond_wait(&c, &m);
  pthread_mutex_unlock(&m);
#elif defined RECURSIVE
  mtx_unlock(&again);
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
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
#if defined ATTRIBUTE
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
#endif
  pthread_mutex_lock(&m);
#if defined BARRIER
  pthread_barrier_wait(&barrier);
#elif defined ARRIVED
  pthread_barrier_init(&barrier, 0, 2);
#elif defined RECURSIVE
  mtx_init(&again, mtx_plain | mtx_recursive);
  mtx_lock(&again);
#elif defined NEVER
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
  pthread_create(&t, &attributes, worker, 0);
#if defined ARRIVED
  pthread_barrier_destroy(&barrier);
#endif
#if defined JOIN_BOTH
  pthread_create(&u, 0, joiner, 0);
#endif
  pthread_mutex_unlock(&m);
#if defined SLEEPER
  pthread_cond_destroy(&c);
#endif
  pthread_join(t, 0);
#if defined JOIN
  pthread_join(t, 0);
#endif
  return 0;
}
