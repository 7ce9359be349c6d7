// A join for the parent, or for a thread that is created later: nothing can be said of what comes
// behind it by the formula, if the joined thread ends. When that one waits for the joining thread, nothing does, and no
// execution ends.
//
// run: -DPARENT --engine sat
// expect: all=UNKNOWN
//
// run: -DPARENT -DBACK
// expect: all=UNKNOWN
//
// run: -DSIBLING --engine sat
// expect: all=UNKNOWN
//
// run: -DSIBLING -DBACK
// expect: all=UNKNOWN

#include <assert.h>
#include <pthread.h>
#include <semaphore.h>

pthread_t first, second;
sem_t created;

void *one(void *arg) {
#ifdef PARENT
  pthread_join((pthread_t)arg, 0);
#else
  sem_wait(&created);
  pthread_join(second, 0);
#endif
  assert(0);
  return 0;
}

void *two(void *arg) {
#ifdef BACK
  pthread_join(first, 0);
#endif
  return 0;
}

int main(void) {
  pthread_create(&first, 0, one, (void *)pthread_self());
#ifdef SIBLING
  pthread_create(&second, 0, two, 0);
  sem_post(&created);
#endif
#if defined PARENT && defined BACK
  pthread_join(first, 0);
#endif
  pthread_exit(0);
}
