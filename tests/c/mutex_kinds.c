// A recursive mutex excludes others until it was given back as often as it was taken; a plain one
// beside it stays plain.
//
// expect: all=SAFE
//
// run: -DEARLY
// expect: all=UNSAFE

#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>

pthread_mutex_t recursive = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
pthread_mutex_t plain = PTHREAD_MUTEX_INITIALIZER;
int x, y;

void *other(void *arg) {
  pthread_mutex_lock(&recursive);
  int before = x;
  x = before + 1;
  pthread_mutex_unlock(&recursive);
  pthread_mutex_lock(&plain);
  y++;
  pthread_mutex_unlock(&plain);
  return 0;
}

int main(void) {
  pthread_t t;
  pthread_create(&t, 0, other, 0);
  pthread_mutex_lock(&recursive);
#ifndef EARLY
  pthread_mutex_lock(&recursive);
#endif
  pthread_mutex_unlock(&recursive);
  int before = x;
  x = before + 1;
  int result = pthread_mutex_unlock(&recursive);
#ifndef EARLY
  assert(result == 0);
#else
  assert(result == EPERM);
#endif
  pthread_mutex_lock(&plain);
  y++;
  pthread_mutex_unlock(&plain);
  pthread_join(t, 0);
  assert(x == 2 && y == 2);
  return 0;
}
