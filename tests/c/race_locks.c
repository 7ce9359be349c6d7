// What the library's objects order, and what they do not.
//
// run: --check race -DMUTEX
// expect: all=SAFE lkmm=SAFE
//
// run: --check race -DNONE
// expect: all=UNSAFE lkmm=UNSAFE
//
// run: --check race -DTWO
// expect: all=UNSAFE lkmm=UNSAFE
//
// run: --check race -DTRY
// expect: all=SAFE lkmm=SAFE
//
// run: --check race -DTRY_ANYWAY
// expect: all=UNSAFE lkmm=UNSAFE
//
// run: --check race -DWRITERS
// expect: all=SAFE lkmm=SAFE
//
// run: --check race -DREADERS
// expect: all=UNSAFE
//
// run: --check race -DSECTION
// expect: all=SAFE
//
// run: --check race -DHALF_SECTION
// expect: all=UNSAFE
//
// run: --check race -DSEMAPHORE
// expect: all=SAFE
//
// run: --check race -DONE_LOCKS
// expect: all=UNSAFE lkmm=UNSAFE

#include <pthread.h>
#include <semaphore.h>

extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);

int x;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, n = PTHREAD_MUTEX_INITIALIZER;
pthread_rwlock_t rw = PTHREAD_RWLOCK_INITIALIZER;
sem_t sem;

static void update(int second) {
#if defined(MUTEX)
  pthread_mutex_lock(&m);
  x++;
  pthread_mutex_unlock(&m);
#elif defined(TWO)
  pthread_mutex_lock(second ? &n : &m);
  x++;
  pthread_mutex_unlock(second ? &n : &m);
#elif defined(TRY)
  if (pthread_mutex_trylock(&m) == 0) {
    x++;
    pthread_mutex_unlock(&m);
  }
#elif defined(TRY_ANYWAY)
  int taken = pthread_mutex_trylock(&m) == 0;
  x++;
  if (taken)
    pthread_mutex_unlock(&m);
#elif defined(WRITERS)
  pthread_rwlock_wrlock(&rw);
  x++;
  pthread_rwlock_unlock(&rw);
#elif defined(READERS)
  pthread_rwlock_rdlock(&rw);
  x++;
  pthread_rwlock_unlock(&rw);
#elif defined(SECTION)
  __VERIFIER_atomic_begin();
  x++;
  __VERIFIER_atomic_end();
#elif defined(HALF_SECTION)
  if (!second)
    __VERIFIER_atomic_begin();
  x++;
  if (!second)
    __VERIFIER_atomic_end();
#elif defined(SEMAPHORE)
  sem_wait(&sem);
  x++;
  sem_post(&sem);
#elif defined(ONE_LOCKS)
  if (!second)
    pthread_mutex_lock(&m);
  x++;
  if (!second)
    pthread_mutex_unlock(&m);
#else
  x++;
#endif
}

void *thread0(void *arg) {
  update(0);
  return 0;
}

void *thread1(void *arg) {
  update(1);
  return 0;
}

int main(void) {
  pthread_t t0, t1;
  sem_init(&sem, 0, 1);
  pthread_create(&t0, 0, thread0, 0);
  pthread_create(&t1, 0, thread1, 0);
  pthread_join(t0, 0);
  pthread_join(t1, 0);
  return x;
}
