// A robust mutex whose holder has ended goes to the next that locks it, who is told. One that nobody
// makes consistent is lost for all.
//
// run: --check assert,misuse,deadlock
// expect: all=SAFE
//
// run: --check assert -DNEXT
// expect: all=UNSAFE
//
// run: --check assert,deadlock -DLOST
// expect: all=SAFE
//
// run: --check deadlock -DSTALLED
// expect: all=UNSAFE
//
// run: --check assert -DCEILING
// expect: all=UNKNOWN

#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>

pthread_mutex_t m;

void *ends(void *arg) {
  pthread_mutex_lock(&m);
#ifdef NEXT
  pthread_mutex_unlock(&m);
#endif
  return 0;
}

int main(void) {
  pthread_mutexattr_t attr;
  pthread_mutexattr_init(&attr);
#ifdef STALLED
  pthread_mutexattr_setrobust(&attr, PTHREAD_MUTEX_STALLED);
#else
  pthread_mutexattr_setrobust(&attr, PTHREAD_MUTEX_ROBUST);
#endif
#ifdef CEILING
  pthread_mutexattr_setprotocol(&attr, PTHREAD_PRIO_PROTECT);
#endif
  pthread_mutex_init(&m, &attr);
  pthread_t t;
  pthread_create(&t, 0, ends, 0);
  pthread_join(t, 0);
  int result = pthread_mutex_lock(&m);
  assert(result == EOWNERDEAD);
#ifndef LOST
  result = pthread_mutex_consistent(&m);
  assert(result == 0);
#endif
  pthread_mutex_unlock(&m);
  result = pthread_mutex_lock(&m);
#ifdef LOST
  assert(result == ENOTRECOVERABLE);
#else
  assert(result == 0);
#endif
  return 0;
}
