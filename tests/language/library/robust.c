#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <time.h>
#include "check.h"

static const struct timespec past = {1, 0};
static pthread_mutex_t left;
static void *leaves(void *arg) {
  pthread_mutex_lock(&left);
  return arg;
}
static void *exits(void *arg) {
  pthread_mutex_lock(&left);
  pthread_exit(arg);
}
static void leave(void *(*how)(void *), int kind) {
  pthread_mutexattr_t a;
  pthread_t t;
  pthread_mutexattr_init(&a);
  pthread_mutexattr_setrobust(&a, PTHREAD_MUTEX_ROBUST);
  pthread_mutexattr_settype(&a, kind);
  pthread_mutex_init(&left, &a);
  if (how == exits) pthread_create(&t, NULL, exits, NULL);
  else pthread_create(&t, NULL, leaves, NULL);
  pthread_join(t, NULL);
}

#pragma case robust_attribute: pthread_mutexattr_setrobust pthread_mutexattr_getrobust
static void robust_attribute(void) {
  pthread_mutexattr_t a;
  int robust = 7;
  pthread_mutexattr_init(&a);
  check(pthread_mutexattr_getrobust(&a, &robust) == 0);
  check(robust == PTHREAD_MUTEX_STALLED);
  check(pthread_mutexattr_setrobust(&a, PTHREAD_MUTEX_ROBUST) == 0);
  check(pthread_mutexattr_setrobust(&a, 9) == EINVAL);
  pthread_mutexattr_getrobust(&a, &robust);
  check(robust == PTHREAD_MUTEX_ROBUST);
}
#pragma case robust_and_kind: pthread_mutexattr_setrobust pthread_mutexattr_settype
static void robust_and_kind(void) {
  pthread_mutexattr_t a;
  pthread_mutex_t m;
  int kind;
  pthread_mutexattr_init(&a);
  pthread_mutexattr_setrobust(&a, PTHREAD_MUTEX_ROBUST);
  pthread_mutexattr_settype(&a, PTHREAD_MUTEX_RECURSIVE);
  pthread_mutexattr_gettype(&a, &kind);
  check(kind == PTHREAD_MUTEX_RECURSIVE);
  pthread_mutex_init(&m, &a);
  check(pthread_mutex_lock(&m) == 0);
  check(pthread_mutex_lock(&m) == 0);
  check(pthread_mutex_unlock(&m) == 0);
  check(pthread_mutex_unlock(&m) == 0);
  check(pthread_mutex_unlock(&m) == EPERM);
}
#pragma case robust_owner_ends: pthread_mutex_consistent pthread_mutex_lock
static void robust_owner_ends(void) {
  leave(leaves, PTHREAD_MUTEX_NORMAL);
  check(pthread_mutex_lock(&left) == EOWNERDEAD);
  check(pthread_mutex_consistent(&left) == 0);
  check(pthread_mutex_consistent(&left) == EINVAL);
  check(pthread_mutex_unlock(&left) == 0);
  check(pthread_mutex_lock(&left) == 0);
}
#pragma case robust_owner_exits: pthread_mutex_trylock pthread_mutex_consistent
static void robust_owner_exits(void) {
  leave(exits, PTHREAD_MUTEX_ERRORCHECK);
  check(pthread_mutex_trylock(&left) == EOWNERDEAD);
  check(pthread_mutex_lock(&left) == EDEADLK);
  check(pthread_mutex_consistent(&left) == 0);
  check(pthread_mutex_unlock(&left) == 0);
  check(pthread_mutex_trylock(&left) == 0);
}
#pragma case robust_lost: pthread_mutex_timedlock pthread_mutex_unlock
static void robust_lost(void) {
  leave(leaves, PTHREAD_MUTEX_NORMAL);
  check(pthread_mutex_timedlock(&left, &past) == EOWNERDEAD);
  check(pthread_mutex_unlock(&left) == 0);
  check(pthread_mutex_lock(&left) == ENOTRECOVERABLE);
  check(pthread_mutex_timedlock(&left, &past) == ENOTRECOVERABLE);
  check(pthread_mutex_destroy(&left) == 0);
}
#pragma case robust_lost_try: pthread_mutex_trylock
static void robust_lost_try(void) {
  leave(leaves, PTHREAD_MUTEX_NORMAL);
  check(pthread_mutex_lock(&left) == EOWNERDEAD);
  pthread_mutex_unlock(&left);
  check(pthread_mutex_trylock(&left) == ENOTRECOVERABLE);
}
#pragma case robust_two: pthread_mutex_consistent
static pthread_mutex_t pair[2];
static void *leaves_one(void *arg) {
  pthread_mutex_lock(&pair[0]);
  pthread_mutex_lock(&pair[1]);
  pthread_mutex_unlock(&pair[0]);
  return arg;
}
static void robust_two(void) {
  pthread_mutexattr_t a;
  pthread_t t;
  pthread_mutexattr_init(&a);
  pthread_mutexattr_setrobust(&a, PTHREAD_MUTEX_ROBUST);
  pthread_mutex_init(&pair[0], &a);
  pthread_mutex_init(&pair[1], &a);
  pthread_create(&t, NULL, leaves_one, NULL);
  pthread_join(t, NULL);
  check(pthread_mutex_lock(&pair[0]) == 0);
  check(pthread_mutex_lock(&pair[1]) == EOWNERDEAD);
  check(pthread_mutex_consistent(&pair[0]) == EINVAL);
}
#pragma case robust_waits: pthread_cond_timedwait pthread_mutex_consistent
static pthread_cond_t signalled = PTHREAD_COND_INITIALIZER;
static void robust_waits(void) {
  leave(leaves, PTHREAD_MUTEX_NORMAL);
  check(pthread_mutex_lock(&left) == EOWNERDEAD);
  pthread_mutex_consistent(&left);
  check(pthread_cond_timedwait(&signalled, &left, &past) != EOWNERDEAD);
  check(pthread_mutex_unlock(&left) == 0);
}
