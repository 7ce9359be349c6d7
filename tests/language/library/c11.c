#include <threads.h>
#include <time.h>
#include "check.h"

static const struct timespec past = {1, 0};
static int count;
static int seven(void *arg) { return 7; }

#pragma case thread_result: thrd_create thrd_join
static void thread_result(void) {
  thrd_t t;
  int r = 0;
  check(thrd_create(&t, seven, NULL) == thrd_success);
  check(thrd_join(t, &r) == thrd_success);
  check(r == 7);
}
#pragma case thread_negative: thrd_exit thrd_join
static int minus(void *arg) { thrd_exit(-2); }
static void thread_negative(void) {
  thrd_t t;
  int r = 0;
  thrd_create(&t, minus, NULL);
  thrd_join(t, &r);
  check(r == -2);
}
#pragma case thread_no_result: thrd_join
static void thread_no_result(void) {
  thrd_t t;
  thrd_create(&t, seven, NULL);
  check(thrd_join(t, NULL) == thrd_success);
}
#pragma case thread_detached: thrd_detach
static void thread_detached(void) {
  thrd_t t;
  thrd_create(&t, seven, NULL);
  check(thrd_detach(t) == thrd_success);
}
#pragma case thread_current: thrd_current thrd_equal
static thrd_t other;
static int finds(void *arg) {
  other = thrd_current();
  return 0;
}
static void thread_current(void) {
  thrd_t t;
  thrd_create(&t, finds, NULL);
  thrd_join(t, NULL);
  check(thrd_equal(other, t));
  check(!thrd_equal(thrd_current(), t));
}
#pragma case thread_yield: thrd_yield thrd_sleep
static void thread_yield(void) {
  struct timespec no_time = {0, 1};
  thrd_yield();
  check(thrd_sleep(&no_time, NULL) == 0);
}
#pragma case mutex_plain: mtx_init mtx_lock mtx_unlock mtx_trylock mtx_destroy
static void mutex_plain(void) {
  mtx_t m;
  check(mtx_init(&m, mtx_plain) == thrd_success);
  check(mtx_lock(&m) == thrd_success);
  check(mtx_trylock(&m) == thrd_busy);
  check(mtx_unlock(&m) == thrd_success);
  int taken = mtx_trylock(&m);
  check(taken == thrd_success || taken == thrd_busy);
  if (taken == thrd_success) check(mtx_unlock(&m) == thrd_success);
  mtx_destroy(&m);
}
#pragma case mutex_recursive: mtx_init mtx_lock mtx_unlock mtx_trylock
static mtx_t again;
static int tries_again(void *arg) { return mtx_trylock(&again); }
static void mutex_recursive(void) {
  thrd_t t;
  int r;
  check(mtx_init(&again, mtx_plain | mtx_recursive) == thrd_success);
  check(mtx_lock(&again) == thrd_success);
  int taken = mtx_trylock(&again);
  check(taken == thrd_success || taken == thrd_busy);
  if (taken == thrd_success) check(mtx_unlock(&again) == thrd_success);
  thrd_create(&t, tries_again, NULL);
  thrd_join(t, &r);
  check(r == thrd_busy);
  check(mtx_unlock(&again) == thrd_success);
}
#pragma case mutex_timed: mtx_timedlock
static mtx_t timed;
static int tries_timed(void *arg) { return mtx_timedlock(&timed, &past); }
static void mutex_timed(void) {
  thrd_t t;
  int r;
  check(mtx_init(&timed, mtx_timed) == thrd_success);
  check(mtx_timedlock(&timed, &past) == thrd_success);
  thrd_create(&t, tries_timed, NULL);
  thrd_join(t, &r);
  check(r == thrd_timedout);
}
#pragma case condition: cnd_init cnd_signal cnd_broadcast cnd_destroy
static void condition(void) {
  cnd_t c;
  check(cnd_init(&c) == thrd_success);
  check(cnd_signal(&c) == thrd_success);
  check(cnd_broadcast(&c) == thrd_success);
  cnd_destroy(&c);
}
#pragma case condition_timed: cnd_timedwait
static void condition_timed(void) {
  cnd_t c;
  mtx_t m;
  cnd_init(&c);
  mtx_init(&m, mtx_plain);
  mtx_lock(&m);
  int r = cnd_timedwait(&c, &m, &past);
  check(r == thrd_timedout || r == thrd_success);
  check(mtx_trylock(&m) == thrd_busy);
  check(mtx_unlock(&m) == thrd_success);
}
#pragma case condition_wait: cnd_wait cnd_signal
static mtx_t m;
static cnd_t c;
static int told;
static int tells(void *arg) {
  mtx_lock(&m);
  told = 1;
  cnd_signal(&c);
  mtx_unlock(&m);
  return 0;
}
static void condition_wait(void) {
  thrd_t t;
  int r = thrd_success;
  mtx_init(&m, mtx_plain);
  cnd_init(&c);
  mtx_lock(&m);
  thrd_create(&t, tells, NULL);
  if (!told) r = cnd_wait(&c, &m);
  check(r == thrd_success);
  check(mtx_unlock(&m) == thrd_success);
  thrd_join(t, NULL);
}
#pragma case once: call_once
static once_flag flag = ONCE_FLAG_INIT;
static void counts(void) { count++; }
static void once(void) {
  call_once(&flag, counts);
  check(count == 1);
  call_once(&flag, counts);
  check(count == 1);
}
#pragma case once_both: call_once
static once_flag both = ONCE_FLAG_INIT;
static void adds(void) { count += 2; }
static int calls(void *arg) {
  call_once(&both, adds);
  check(count == 2);
  return 0;
}
static void once_both(void) {
  thrd_t t;
  thrd_create(&t, calls, NULL);
  calls(NULL);
  check(count == 2);
  thrd_join(t, NULL);
}
#pragma case storage: tss_create tss_set tss_get tss_delete
static void storage(void) {
  tss_t a, b;
  check(tss_create(&a, NULL) == thrd_success);
  check(tss_create(&b, NULL) == thrd_success);
  check(tss_get(a) == NULL);
  check(tss_set(a, &count) == thrd_success);
  check(tss_get(a) == &count);
  check(tss_get(b) == NULL);
  tss_delete(a);
}
#pragma case storage_of_threads: tss_set tss_get
static tss_t own;
static int keeps(void *arg) {
  int empty = tss_get(own) == NULL;
  tss_set(own, arg);
  return empty && tss_get(own) == arg;
}
static void storage_of_threads(void) {
  thrd_t t;
  int r;
  tss_create(&own, NULL);
  tss_set(own, &r);
  thrd_create(&t, keeps, &count);
  thrd_join(t, &r);
  check(r == 1);
  check(tss_get(own) == &r);
}
#pragma case local: thrd_create
static thread_local int mine = 1;
static int changes(void *arg) { return mine++; }
static void local(void) {
  thrd_t t;
  int r;
  mine = 8;
  thrd_create(&t, changes, NULL);
  thrd_join(t, &r);
  check(r == 1);
  check(mine == 8);
}
#pragma case excludes: mtx_lock mtx_unlock
static mtx_t guard;
static int shared;
static int increments(void *arg) {
  mtx_lock(&guard);
  shared++;
  mtx_unlock(&guard);
  return 0;
}
static void excludes(void) {
  thrd_t t;
  mtx_init(&guard, mtx_plain);
  thrd_create(&t, increments, NULL);
  increments(NULL);
  thrd_join(t, NULL);
  check(shared == 2);
}
#pragma case wrong_limits: mtx_timedlock cnd_timedwait thrd_sleep
static void wrong_limits(void) {
  struct timespec no_time = {1, 1000000000}, before = {-1, 0};
  mtx_t m;
  cnd_t c;
  mtx_init(&m, mtx_timed);
  cnd_init(&c);
  mtx_lock(&m);
  check(mtx_timedlock(&m, &no_time) == thrd_error);
  check(mtx_timedlock(&m, &past) == thrd_timedout);
  check(cnd_timedwait(&c, &m, &no_time) == thrd_error);
  check(mtx_unlock(&m) == thrd_success);
  check(thrd_sleep(&no_time, NULL) < -1);
  check(thrd_sleep(&before, NULL) < -1);
}
