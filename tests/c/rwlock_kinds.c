// Where writers come first, a thread that reads twice may wait for a writer that waits for it; where
// they do not, it goes on. Either way a writer excludes readers.
//
// run: --check deadlock -DTWICE
// expect: all=UNSAFE
//
// run: --check deadlock
// expect: all=SAFE
//
// run: --check deadlock -DTWICE -DREADERS_FIRST
// expect: all=SAFE
//
// run: --check deadlock,misuse -DTWICE -DATTRIBUTE
// expect: all=UNSAFE
//
// run: --check assert,misuse
// expect: all=SAFE

#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>

#ifndef READERS_FIRST
pthread_rwlock_t lock = PTHREAD_RWLOCK_WRITER_NONRECURSIVE_INITIALIZER_NP;
#else
pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
#endif
int a, b;

void *writer(void *arg) {
  pthread_rwlock_wrlock(&lock);
  a = 1;
  b = 1;
  pthread_rwlock_unlock(&lock);
  return 0;
}

int main(void) {
#ifdef ATTRIBUTE
  pthread_rwlock_t other;
  pthread_rwlockattr_t kind;
  pthread_rwlockattr_init(&kind);
  pthread_rwlockattr_setkind_np(&kind, PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP);
  pthread_rwlock_init(&other, &kind);
  pthread_rwlock_rdlock(&other);
  pthread_rwlock_unlock(&other);
#endif
  pthread_t t;
  pthread_create(&t, 0, writer, 0);
  pthread_rwlock_rdlock(&lock);
#ifdef TWICE
  pthread_rwlock_rdlock(&lock);
#endif
  assert(a == b);
  return 0;
}
