#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <unistd.h>
#include "check.h"

static int count;
static void *same(void *arg) { return arg; }

#pragma case create_join: pthread_create pthread_join
static void create_join(void) {
  pthread_t t;
  void *r = NULL;
  check(pthread_create(&t, NULL, same, (void *)7) == 0);
  check(pthread_join(t, &r) == 0);
  check(r == (void *)7);
}
#pragma case join_null: pthread_join
static void join_null(void) {
  pthread_t t;
  pthread_create(&t, NULL, same, NULL);
  check(pthread_join(t, NULL) == 0);
}
#pragma case exit_value: pthread_exit
static void *exits(void *arg) {
  if (arg) pthread_exit((void *)3);
  return (void *)4;
}
static void exit_value(void) {
  pthread_t t, u;
  void *a, *b;
  pthread_create(&t, NULL, exits, &count);
  pthread_create(&u, NULL, exits, NULL);
  pthread_join(t, &a);
  pthread_join(u, &b);
  check(a == (void *)3);
  check(b == (void *)4);
}
#pragma case exit_deep: pthread_exit
static void leaves(int depth) {
  if (depth == 0) pthread_exit((void *)9);
  leaves(depth - 1);
  count = 1;
}
static void *goes_deep(void *arg) {
  leaves(2);
  return arg;
}
static void exit_deep(void) {
  pthread_t t;
  void *r;
  pthread_create(&t, NULL, goes_deep, NULL);
  pthread_join(t, &r);
  check(r == (void *)9);
  check(count == 0);
}
#pragma case self_equal: pthread_self pthread_equal
static pthread_t main_thread;
static void *compares(void *arg) {
  check(!pthread_equal(pthread_self(), main_thread));
  check(pthread_equal(pthread_self(), pthread_self()));
  return arg;
}
static void self_equal(void) {
  pthread_t t;
  main_thread = pthread_self();
  check(pthread_equal(pthread_self(), main_thread));
  pthread_create(&t, NULL, compares, NULL);
  check(!pthread_equal(t, main_thread));
  pthread_join(t, NULL);
}
#pragma case self_is_handle: pthread_self pthread_create
static pthread_t found;
static void *finds(void *arg) {
  found = pthread_self();
  return arg;
}
static void self_is_handle(void) {
  pthread_t t;
  pthread_create(&t, NULL, finds, NULL);
  pthread_join(t, NULL);
  check(pthread_equal(found, t));
}
#pragma case detach: pthread_detach
static void detach(void) {
  pthread_t t;
  pthread_create(&t, NULL, same, NULL);
  check(pthread_detach(t) == 0);
}
#pragma case detach_self: pthread_detach pthread_self
static void *detaches(void *arg) {
  check(pthread_detach(pthread_self()) == 0);
  return arg;
}
static void detach_self(void) {
  pthread_t t;
  check(pthread_create(&t, NULL, detaches, NULL) == 0);
  usleep(100000);
}
#pragma case join_orders: pthread_join
static void *sets(void *arg) {
  *(int *)arg = 5;
  return NULL;
}
static void join_orders(void) {
  pthread_t t;
  int v = 0;
  pthread_create(&t, NULL, sets, &v);
  pthread_join(t, NULL);
  check(v == 5);
}
#pragma case many: pthread_create pthread_join
static void many(void) {
  pthread_t t[3];
  void *r;
  for (long i = 0; i < 3; i++) pthread_create(&t[i], NULL, same, (void *)(i * i));
  intptr_t sum = 0;
  for (int i = 0; i < 3; i++) {
    pthread_join(t[i], &r);
    sum += (intptr_t)r;
  }
  check(sum == 5);
}
#pragma case join_by_other: pthread_join
static pthread_t first;
static void *joins(void *arg) {
  void *r;
  check(pthread_join(first, &r) == 0);
  return (char *)r + 1;
}
static void join_by_other(void) {
  pthread_t t;
  void *r;
  pthread_create(&first, NULL, same, (void *)1);
  pthread_create(&t, NULL, joins, NULL);
  pthread_join(t, &r);
  check(r == (void *)2);
}
#pragma case once: pthread_once
static pthread_once_t control = PTHREAD_ONCE_INIT;
static void counts_up(void) { count++; }
static void once(void) {
  check(pthread_once(&control, counts_up) == 0);
  check(count == 1);
  check(pthread_once(&control, counts_up) == 0);
  check(count == 1);
}
#pragma case once_both: pthread_once
static pthread_once_t control_both = PTHREAD_ONCE_INIT;
static void adds_ten(void) { count += 10; }
static void *does(void *arg) {
  pthread_once(&control_both, adds_ten);
  check(count == 10);
  return arg;
}
static void once_both(void) {
  pthread_t t;
  pthread_create(&t, NULL, does, NULL);
  does(NULL);
  pthread_join(t, NULL);
  check(count == 10);
}
#pragma case keys: pthread_key_create pthread_setspecific pthread_getspecific pthread_key_delete
static void keys(void) {
  pthread_key_t a, b;
  check(pthread_key_create(&a, NULL) == 0);
  check(pthread_key_create(&b, NULL) == 0);
  check(pthread_getspecific(a) == NULL);
  check(pthread_setspecific(a, &count) == 0);
  check(pthread_getspecific(a) == &count);
  check(pthread_getspecific(b) == NULL);
  check(pthread_key_delete(a) == 0);
}
#pragma case keys_of_threads: pthread_setspecific pthread_getspecific
static pthread_key_t own;
static void *keeps(void *arg) {
  check(pthread_getspecific(own) == NULL);
  pthread_setspecific(own, arg);
  return pthread_getspecific(own);
}
static void keys_of_threads(void) {
  pthread_t t;
  int a, b;
  void *r;
  pthread_key_create(&own, NULL);
  pthread_setspecific(own, &a);
  pthread_create(&t, NULL, keeps, &b);
  pthread_join(t, &r);
  check(r == &b);
  check(pthread_getspecific(own) == &a);
}
#pragma case cleanup: pthread_exit
static void cleans(void *arg) { count = count * 10 + *(int *)arg; }
static void *is_cleaned(void *arg) {
  int one = 1, two = 2;
  pthread_cleanup_push(cleans, &one);
  pthread_cleanup_push(cleans, &two);
  pthread_exit(NULL);
  pthread_cleanup_pop(0);
  pthread_cleanup_pop(0);
  return arg;
}
static void cleanup(void) {
  pthread_t t;
  pthread_create(&t, NULL, is_cleaned, NULL);
  pthread_join(t, NULL);
  check(count == 21);
}
#pragma case cleanup_pop: pthread_exit
static void adds(void *arg) { count += *(int *)arg; }
static void cleanup_pop(void) {
  int one = 1, two = 2;
  pthread_cleanup_push(adds, &one);
  pthread_cleanup_pop(1);
  pthread_cleanup_push(adds, &two);
  pthread_cleanup_pop(0);
  check(count == 1);
}
#pragma case thread_attributes: pthread_attr_init pthread_attr_destroy pthread_attr_setdetachstate pthread_attr_setstacksize
static void thread_attributes(void) {
  pthread_attr_t a;
  pthread_t t;
  check(pthread_attr_init(&a) == 0);
  check(pthread_attr_setdetachstate(&a, PTHREAD_CREATE_JOINABLE) == 0);
  check(pthread_attr_setstacksize(&a, 1 << 20) == 0);
  check(pthread_create(&t, &a, same, NULL) == 0);
  check(pthread_attr_destroy(&a) == 0);
  check(pthread_join(t, NULL) == 0);
}
#pragma case yields: sched_yield pthread_yield usleep sleep
static void yields(void) {
  check(sched_yield() == 0);
  check(usleep(1) == 0);
  check(sleep(0) == 0);
}
#pragma case scheduling: sched_setaffinity sched_getcpu sched_get_priority_max sched_get_priority_min sched_setscheduler
static void scheduling(void) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(0, &set);
  struct sched_param param = {0};
  int pinned = sched_setaffinity(0, sizeof set, &set);
  int where = sched_getcpu();
  int most = sched_get_priority_max(SCHED_OTHER), least = sched_get_priority_min(SCHED_OTHER);
  int chosen = sched_setscheduler(0, SCHED_OTHER, &param);
  check(pinned == pinned && where == where && most == most && least == least && chosen == chosen);
}
#pragma case thread_scheduling: pthread_setaffinity_np pthread_setschedparam
static void thread_scheduling(void) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(0, &set);
  struct sched_param param = {0};
  int pinned = pthread_setaffinity_np(pthread_self(), sizeof set, &set);
  int chosen = pthread_setschedparam(pthread_self(), SCHED_OTHER, &param);
  check(pinned == pinned && chosen == chosen);
}
#pragma case cancel_state: pthread_setcancelstate pthread_testcancel
static void cancel_state(void) {
  int r = pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL);
  pthread_testcancel();
  check(r == 0);
}
#pragma case thread_local: pthread_create
static _Thread_local int mine = 3;
static void *changes(void *arg) {
  check(mine == 3);
  mine = 4;
  return arg;
}
static void thread_local(void) {
  pthread_t t;
  mine = 5;
  pthread_create(&t, NULL, changes, NULL);
  pthread_join(t, NULL);
  check(mine == 5);
}
#pragma case names: pthread_setname_np pthread_setconcurrency
extern int pthread_setname_np(pthread_t, const char *);
extern int pthread_setconcurrency(int);
static void names(void) {
  check(pthread_setname_np(pthread_self(), "t") == 0);
  check(pthread_setconcurrency(2) == 0);
}
#pragma case thread_errno: pthread_create pthread_join
static void thread_errno(void) {
  pthread_t t;
  errno = 77;
  pthread_create(&t, NULL, same, NULL);
  pthread_join(t, NULL);
  check(errno == 77);
}
#pragma case created_detached: pthread_attr_setdetachstate
static void created_detached(void) {
  pthread_attr_t a;
  pthread_t t;
  pthread_attr_init(&a);
  check(pthread_attr_setdetachstate(&a, PTHREAD_CREATE_DETACHED) == 0);
  check(pthread_create(&t, &a, same, NULL) == 0);
}
