// A wait that was woken too early is left out only if nobody sees that its mutex was taken meanwhile.
// Who tries the lock sees it; the counter of failures grows by what the rounds are.
//
// run: --unwind 3
// expect: sc,tso,power=UNSAFE
//
// run: --unwind 3 -DLOCK
// expect: sc,tso,power=SAFE

#include <assert.h>
#include <pthread.h>

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t c = PTHREAD_COND_INITIALIZER;
int done, seen;

void *child(void *arg) {
#ifdef LOCK
  pthread_mutex_lock(&m);
  pthread_mutex_unlock(&m);
#else
  // The waiter holds the mutex twice while this thread has not yet raised the flag.
  if (pthread_mutex_trylock(&m)) {
    pthread_mutex_lock(&m);
    pthread_mutex_unlock(&m);
    if (pthread_mutex_trylock(&m))
      seen = 1;
    else
      pthread_mutex_unlock(&m);
  } else
    pthread_mutex_unlock(&m);
#endif
  pthread_mutex_lock(&m);
  done = 1;
  pthread_cond_signal(&c);
  pthread_mutex_unlock(&m);
  return 0;
}

int main(void) {
  pthread_t t;
  pthread_create(&t, 0, child, 0);
  pthread_mutex_lock(&m);
  while (!done) pthread_cond_wait(&c, &m);
  pthread_mutex_unlock(&m);
  assert(!seen);
  return 0;
}
