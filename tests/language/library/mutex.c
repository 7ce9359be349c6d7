#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <time.h>
#include "check.h"

static const struct timespec past = {1, 0};
static int x;

#pragma case mutex_static: pthread_mutex_lock pthread_mutex_unlock
static pthread_mutex_t plain = PTHREAD_MUTEX_INITIALIZER;
static void mutex_static(void) {
  check(pthread_mutex_lock(&plain) == 0);
  check(pthread_mutex_unlock(&plain) == 0);
  check(pthread_mutex_lock(&plain) == 0);
}
#pragma case mutex_init: pthread_mutex_init pthread_mutex_destroy
static void mutex_init(void) {
  pthread_mutex_t m;
  check(pthread_mutex_init(&m, NULL) == 0);
  check(pthread_mutex_lock(&m) == 0);
  check(pthread_mutex_unlock(&m) == 0);
  check(pthread_mutex_destroy(&m) == 0);
  check(pthread_mutex_init(&m, NULL) == 0);
  check(pthread_mutex_destroy(&m) == 0);
}
#pragma case trylock_free: pthread_mutex_trylock
static void trylock_free(void) {
  pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
  check(pthread_mutex_trylock(&m) == 0);
  check(pthread_mutex_unlock(&m) == 0);
  check(pthread_mutex_trylock(&m) == 0);
}
#pragma case trylock_own: pthread_mutex_trylock
static void trylock_own(void) {
  pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
  pthread_mutex_lock(&m);
  check(pthread_mutex_trylock(&m) == EBUSY);
  check(pthread_mutex_unlock(&m) == 0);
}
#pragma case trylock_other: pthread_mutex_trylock
static pthread_mutex_t contended = PTHREAD_MUTEX_INITIALIZER;
static void *tries(void *arg) {
  check(pthread_mutex_trylock(&contended) == EBUSY);
  return arg;
}
static void trylock_other(void) {
  pthread_t t;
  pthread_mutex_lock(&contended);
  pthread_create(&t, NULL, tries, NULL);
  pthread_join(t, NULL);
  check(pthread_mutex_unlock(&contended) == 0);
  check(pthread_mutex_trylock(&contended) == 0);
}
#pragma case timedlock_free: pthread_mutex_timedlock
static void timedlock_free(void) {
  pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
  check(pthread_mutex_timedlock(&m, &past) == 0);
  check(pthread_mutex_trylock(&m) == EBUSY);
}
#pragma case timedlock_held: pthread_mutex_timedlock
static pthread_mutex_t timed = PTHREAD_MUTEX_INITIALIZER;
static void *waits_shortly(void *arg) {
  check(pthread_mutex_timedlock(&timed, &past) == ETIMEDOUT);
  return arg;
}
static void timedlock_held(void) {
  pthread_t t;
  pthread_mutex_lock(&timed);
  pthread_create(&t, NULL, waits_shortly, NULL);
  check(pthread_join(t, NULL) == 0);
}
#pragma case clocklock_free: pthread_mutex_clocklock
static void clocklock_free(void) {
  pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
  check(pthread_mutex_clocklock(&m, CLOCK_MONOTONIC, &past) == 0);
  check(pthread_mutex_trylock(&m) == EBUSY);
}
#pragma case clocklock_held: pthread_mutex_clocklock
static pthread_mutex_t clocked = PTHREAD_MUTEX_INITIALIZER;
static void *waits_by_clock(void *arg) {
  check(pthread_mutex_clocklock(&clocked, CLOCK_MONOTONIC, &past) == ETIMEDOUT);
  return arg;
}
static void clocklock_held(void) {
  pthread_t t;
  pthread_mutex_lock(&clocked);
  pthread_create(&t, NULL, waits_by_clock, NULL);
  check(pthread_join(t, NULL) == 0);
}
#pragma case recursive_static: pthread_mutex_lock pthread_mutex_unlock
static pthread_mutex_t again = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static void recursive_static(void) {
  check(pthread_mutex_lock(&again) == 0);
  check(pthread_mutex_lock(&again) == 0);
  check(pthread_mutex_trylock(&again) == 0);
  check(pthread_mutex_unlock(&again) == 0);
  check(pthread_mutex_unlock(&again) == 0);
  check(pthread_mutex_unlock(&again) == 0);
  check(pthread_mutex_unlock(&again) == EPERM);
}
#pragma case recursive_attribute: pthread_mutexattr_init pthread_mutexattr_settype pthread_mutexattr_destroy
static void recursive_attribute(void) {
  pthread_mutexattr_t a;
  pthread_mutex_t m;
  check(pthread_mutexattr_init(&a) == 0);
  check(pthread_mutexattr_settype(&a, PTHREAD_MUTEX_RECURSIVE) == 0);
  check(pthread_mutex_init(&m, &a) == 0);
  check(pthread_mutexattr_destroy(&a) == 0);
  check(pthread_mutex_lock(&m) == 0);
  check(pthread_mutex_trylock(&m) == 0);
  check(pthread_mutex_unlock(&m) == 0);
  check(pthread_mutex_unlock(&m) == 0);
  check(pthread_mutex_destroy(&m) == 0);
}
#pragma case attribute_type: pthread_mutexattr_gettype pthread_mutexattr_settype
static void attribute_type(void) {
  pthread_mutexattr_t a;
  int type = 7;
  pthread_mutexattr_init(&a);
  check(pthread_mutexattr_gettype(&a, &type) == 0);
  check(type == PTHREAD_MUTEX_DEFAULT);
  pthread_mutexattr_settype(&a, PTHREAD_MUTEX_ERRORCHECK);
  check(pthread_mutexattr_gettype(&a, &type) == 0);
  check(type == PTHREAD_MUTEX_ERRORCHECK);
}
#pragma case attribute_kind: pthread_mutexattr_setkind_np
static void attribute_kind(void) {
  pthread_mutexattr_t a;
  int type = 7;
  pthread_mutexattr_init(&a);
  pthread_mutexattr_settype(&a, PTHREAD_MUTEX_RECURSIVE_NP);
  pthread_mutexattr_gettype(&a, &type);
  check(type == PTHREAD_MUTEX_RECURSIVE);
}
#pragma case attribute_shared: pthread_mutexattr_setpshared
static void attribute_shared(void) {
  pthread_mutexattr_t a;
  pthread_mutexattr_init(&a);
  check(pthread_mutexattr_setpshared(&a, PTHREAD_PROCESS_SHARED) == 0);
}
#pragma case recursive_other: pthread_mutex_trylock
static pthread_mutex_t deep = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static void *tries_deep(void *arg) {
  check(pthread_mutex_trylock(&deep) == EBUSY);
  check(pthread_mutex_unlock(&deep) == EPERM);
  return arg;
}
static void recursive_other(void) {
  pthread_t t;
  pthread_mutex_lock(&deep);
  pthread_mutex_lock(&deep);
  pthread_mutex_unlock(&deep);
  pthread_create(&t, NULL, tries_deep, NULL);
  pthread_join(t, NULL);
  check(pthread_mutex_unlock(&deep) == 0);
}
#pragma case errorcheck_lock: pthread_mutex_lock
static pthread_mutex_t strict = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;
static void errorcheck_lock(void) {
  check(pthread_mutex_lock(&strict) == 0);
  check(pthread_mutex_lock(&strict) == EDEADLK);
  check(pthread_mutex_unlock(&strict) == 0);
}
#pragma case errorcheck_unlock: pthread_mutex_unlock
static pthread_mutex_t strict_unlock = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;
static void errorcheck_unlock(void) {
  check(pthread_mutex_unlock(&strict_unlock) == EPERM);
  check(pthread_mutex_lock(&strict_unlock) == 0);
  check(pthread_mutex_unlock(&strict_unlock) == 0);
  check(pthread_mutex_unlock(&strict_unlock) == EPERM);
}
#pragma case errorcheck_trylock: pthread_mutex_trylock
static pthread_mutex_t strict_try = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;
static void errorcheck_trylock(void) {
  check(pthread_mutex_trylock(&strict_try) == 0);
  check(pthread_mutex_trylock(&strict_try) == EBUSY);
  check(pthread_mutex_unlock(&strict_try) == 0);
}
#pragma case errorcheck_timedlock: pthread_mutex_timedlock
static pthread_mutex_t strict_timed = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;
static void errorcheck_timedlock(void) {
  check(pthread_mutex_timedlock(&strict_timed, &past) == 0);
  check(pthread_mutex_timedlock(&strict_timed, &past) == EDEADLK);
}
#pragma case errorcheck_other: pthread_mutex_unlock
static pthread_mutex_t strict_other = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;
static void *unlocks(void *arg) {
  check(pthread_mutex_unlock(&strict_other) == EPERM);
  return arg;
}
static void errorcheck_other(void) {
  pthread_t t;
  pthread_mutex_lock(&strict_other);
  pthread_create(&t, NULL, unlocks, NULL);
  pthread_join(t, NULL);
  check(pthread_mutex_trylock(&strict_other) == EBUSY);
}
#pragma case normal_type: pthread_mutexattr_settype
static void normal_type(void) {
  pthread_mutexattr_t a;
  pthread_mutex_t m;
  pthread_mutexattr_init(&a);
  pthread_mutexattr_settype(&a, PTHREAD_MUTEX_NORMAL);
  pthread_mutex_init(&m, &a);
  check(pthread_mutex_trylock(&m) == 0);
  check(pthread_mutex_trylock(&m) == EBUSY);
  check(pthread_mutex_unlock(&m) == 0);
}
#pragma case mutex_errno: pthread_mutex_trylock
static void mutex_errno(void) {
  pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
  errno = 5;
  pthread_mutex_lock(&m);
  check(pthread_mutex_trylock(&m) == EBUSY);
  check(errno == 5);
}
#pragma case mutex_excludes: pthread_mutex_lock pthread_mutex_unlock
static pthread_mutex_t guard = PTHREAD_MUTEX_INITIALIZER;
static void *adds(void *arg) {
  pthread_mutex_lock(&guard);
  x = x + 1;
  pthread_mutex_unlock(&guard);
  return arg;
}
static void mutex_excludes(void) {
  pthread_t t, u;
  pthread_create(&t, NULL, adds, NULL);
  pthread_create(&u, NULL, adds, NULL);
  pthread_join(t, NULL);
  pthread_join(u, NULL);
  check(x == 2);
}
#pragma case mutex_array: pthread_mutex_lock pthread_mutex_trylock
static void mutex_array(void) {
  pthread_mutex_t m[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
  pthread_mutex_lock(&m[1]);
  check(pthread_mutex_trylock(&m[0]) == 0);
  check(pthread_mutex_trylock(&m[1]) == EBUSY);
  check(pthread_mutex_unlock(m) == 0);
  check(pthread_mutex_unlock(m + 1) == 0);
}
#pragma case spin_lock: pthread_spin_init pthread_spin_lock pthread_spin_unlock pthread_spin_destroy
static void spin_lock(void) {
  pthread_spinlock_t s;
  check(pthread_spin_init(&s, PTHREAD_PROCESS_PRIVATE) == 0);
  check(pthread_spin_lock(&s) == 0);
  check(pthread_spin_unlock(&s) == 0);
  check(pthread_spin_destroy(&s) == 0);
}
#pragma case spin_trylock: pthread_spin_trylock
static void spin_trylock(void) {
  pthread_spinlock_t s;
  pthread_spin_init(&s, PTHREAD_PROCESS_PRIVATE);
  check(pthread_spin_trylock(&s) == 0);
  check(pthread_spin_trylock(&s) == EBUSY);
  check(pthread_spin_unlock(&s) == 0);
  check(pthread_spin_trylock(&s) == 0);
}
#pragma case spin_excludes: pthread_spin_lock pthread_spin_unlock
static pthread_spinlock_t spinning;
static int spun;
static void *spins(void *arg) {
  pthread_spin_lock(&spinning);
  spun++;
  pthread_spin_unlock(&spinning);
  return arg;
}
static void spin_excludes(void) {
  pthread_t t;
  pthread_spin_init(&spinning, PTHREAD_PROCESS_PRIVATE);
  pthread_create(&t, NULL, spins, NULL);
  spins(NULL);
  pthread_join(t, NULL);
  check(spun == 2);
}
#pragma case robust_not_mine: pthread_mutex_consistent
static void robust_not_mine(void) {
  pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
  check(pthread_mutex_consistent(&m) == EINVAL);
}
#pragma case protocol: pthread_mutexattr_setprotocol
static void protocol(void) {
  pthread_mutexattr_t a;
  pthread_mutex_t m;
  pthread_mutexattr_init(&a);
  check(pthread_mutexattr_setprotocol(&a, PTHREAD_PRIO_INHERIT) == 0);
  check(pthread_mutexattr_setprotocol(&a, 9) == EINVAL);
  pthread_mutex_init(&m, &a);
  check(pthread_mutex_lock(&m) == 0);
  check(pthread_mutex_trylock(&m) == EBUSY);
}
#pragma case attributes_at_first: pthread_mutexattr_gettype pthread_mutexattr_getrobust
static void attributes_at_first(void) {
  pthread_mutexattr_t a;
  int kind = 7, robust = 7;
  pthread_mutexattr_init(&a);
  check(pthread_mutexattr_gettype(&a, &kind) == 0);
  check(pthread_mutexattr_getrobust(&a, &robust) == 0);
  check(kind == PTHREAD_MUTEX_DEFAULT);
  check(robust == PTHREAD_MUTEX_STALLED);
}
#pragma case wrong_limit: pthread_mutex_timedlock pthread_mutex_clocklock
static void wrong_limit(void) {
  struct timespec no_time = {1, 1000000000}, negative = {1, -1};
  pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
  pthread_mutex_lock(&m);
  check(pthread_mutex_timedlock(&m, &no_time) == EINVAL);
  check(pthread_mutex_timedlock(&m, &negative) == EINVAL);
  check(pthread_mutex_clocklock(&m, CLOCK_MONOTONIC, &no_time) == EINVAL);
  check(pthread_mutex_clocklock(&m, CLOCK_PROCESS_CPUTIME_ID, &past) == EINVAL);
  check(pthread_mutex_timedlock(&m, &past) == ETIMEDOUT);
}
#pragma case wrong_limit_checking: pthread_mutex_timedlock
static pthread_mutex_t checking_too = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;
static void *late(void *arg) {
  struct timespec no_time = {1, 1000000000};
  check(pthread_mutex_timedlock(&checking_too, &no_time) == EINVAL);
  check(pthread_mutex_timedlock(&checking_too, &past) == ETIMEDOUT);
  return arg;
}
static void wrong_limit_checking(void) {
  pthread_t t;
  check(pthread_mutex_lock(&checking_too) == 0);
  pthread_create(&t, NULL, late, NULL);
  pthread_join(t, NULL);
  check(pthread_mutex_timedlock(&checking_too, &past) == EDEADLK);
}
