// Joins, semaphores and barriers that nobody ends.
//
// run: --check deadlock -DMYSELF
// expect: all=UNSAFE
//
// run: --check deadlock -DJOIN
// expect: all=SAFE
//
// run: --check deadlock -DNO_POST
// expect: all=UNSAFE
//
// run: --check deadlock -DPOST
// expect: all=SAFE
//
// run: --check deadlock -DBARRIER=2
// expect: all=SAFE
//
// run: --check deadlock -DBARRIER=3
// expect: all=UNSAFE
//
// run: --check deadlock -DNO_POST -DLEAVE
// expect: all=SAFE

#include <pthread.h>
#include <semaphore.h>

sem_t s;
#ifdef BARRIER
pthread_barrier_t b;
#endif

void *thread(void *arg) {
#ifdef MYSELF
  pthread_join(pthread_self(), 0);
#endif
#if defined(POST) || defined(NO_POST)
  sem_wait(&s);
#endif
#ifdef BARRIER
  pthread_barrier_wait(&b);
#endif
  return 0;
}

int main(void) {
  pthread_t t;
  sem_init(&s, 0, 0);
#ifdef BARRIER
  pthread_barrier_init(&b, 0, BARRIER);
#endif
  pthread_create(&t, 0, thread, 0);
#ifdef POST
  sem_post(&s);
#endif
#ifdef BARRIER
  pthread_barrier_wait(&b);
#endif
#ifndef LEAVE
  pthread_join(t, 0);
#endif
  return 0;
}
