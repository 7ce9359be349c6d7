#define _GNU_SOURCE
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <semaphore.h>
#include <time.h>
#include "check.h"

static const struct timespec past = {1, 0};

#pragma case sem_counts: sem_init sem_wait sem_post sem_getvalue sem_destroy
static void sem_counts(void) {
  sem_t s;
  int v = 9;
  check(sem_init(&s, 0, 2) == 0);
  check(sem_getvalue(&s, &v) == 0);
  check(v == 2);
  check(sem_wait(&s) == 0);
  sem_getvalue(&s, &v);
  check(v == 1);
  check(sem_post(&s) == 0);
  sem_getvalue(&s, &v);
  check(v == 2);
  check(sem_destroy(&s) == 0);
}
#pragma case sem_try_empty: sem_trywait
static void sem_try_empty(void) {
  sem_t s;
  int v;
  sem_init(&s, 0, 0);
  errno = 0;
  check(sem_trywait(&s) == -1);
  check(errno == EAGAIN);
  sem_getvalue(&s, &v);
  check(v == 0);
}
#pragma case sem_try_full: sem_trywait
static void sem_try_full(void) {
  sem_t s;
  int v;
  sem_init(&s, 0, 1);
  errno = 3;
  check(sem_trywait(&s) == 0);
  check(errno == 3);
  sem_getvalue(&s, &v);
  check(v == 0);
  check(sem_trywait(&s) == -1);
}
#pragma case sem_timed_empty: sem_timedwait
static void sem_timed_empty(void) {
  sem_t s;
  sem_init(&s, 0, 0);
  check(sem_timedwait(&s, &past) == -1);
  check(errno == ETIMEDOUT);
}
#pragma case sem_timed_full: sem_timedwait
static void sem_timed_full(void) {
  sem_t s;
  int v;
  sem_init(&s, 0, 3);
  check(sem_timedwait(&s, &past) == 0);
  sem_getvalue(&s, &v);
  check(v == 2);
}
#pragma case sem_too_large: sem_init
static void sem_too_large(void) {
  sem_t s;
  check(sem_init(&s, 0, (unsigned)INT_MAX + 1) == -1);
  check(errno == EINVAL);
}
#pragma case sem_largest: sem_init sem_getvalue
static void sem_largest(void) {
  sem_t s;
  int v;
  check(sem_init(&s, 0, INT_MAX) == 0);
  sem_getvalue(&s, &v);
  check(v == INT_MAX);
  check(sem_wait(&s) == 0);
  sem_getvalue(&s, &v);
  check(v == INT_MAX - 1);
}
#pragma case sem_reinit: sem_init sem_destroy
static void sem_reinit(void) {
  sem_t s;
  int v;
  sem_init(&s, 0, 1);
  sem_destroy(&s);
  check(sem_init(&s, 0, 5) == 0);
  sem_getvalue(&s, &v);
  check(v == 5);
}
#pragma case sem_hands_over: sem_post sem_wait
static sem_t ready;
static int data;
static void *produces(void *arg) {
  data = 42;
  sem_post(&ready);
  return arg;
}
static void sem_hands_over(void) {
  pthread_t t;
  sem_init(&ready, 0, 0);
  pthread_create(&t, NULL, produces, NULL);
  check(sem_wait(&ready) == 0);
  check(data == 42);
  pthread_join(t, NULL);
}
#pragma case sem_mutex: sem_post sem_wait
static sem_t one;
static int sum;
static void *sums(void *arg) {
  sem_wait(&one);
  sum += 3;
  sem_post(&one);
  return arg;
}
static void sem_mutex(void) {
  pthread_t t;
  int v;
  sem_init(&one, 0, 1);
  pthread_create(&t, NULL, sums, NULL);
  sums(NULL);
  pthread_join(t, NULL);
  check(sum == 6);
  sem_getvalue(&one, &v);
  check(v == 1);
}
#pragma case sem_errno_own: sem_trywait
static sem_t none;
static int seen;
static void *fails(void *arg) {
  sem_trywait(&none);
  seen = errno;
  return arg;
}
static void sem_errno_own(void) {
  pthread_t t;
  sem_init(&none, 0, 0);
  errno = 1;
  pthread_create(&t, NULL, fails, NULL);
  pthread_join(t, NULL);
  check(seen == EAGAIN);
  check(errno == 1);
}
#pragma case rwlock_readers: pthread_rwlock_rdlock pthread_rwlock_tryrdlock pthread_rwlock_unlock
static pthread_rwlock_t shared = PTHREAD_RWLOCK_INITIALIZER;
static void rwlock_readers(void) {
  check(pthread_rwlock_rdlock(&shared) == 0);
  check(pthread_rwlock_tryrdlock(&shared) == 0);
  check(pthread_rwlock_trywrlock(&shared) == EBUSY);
  check(pthread_rwlock_unlock(&shared) == 0);
  check(pthread_rwlock_trywrlock(&shared) == EBUSY);
  check(pthread_rwlock_unlock(&shared) == 0);
  check(pthread_rwlock_trywrlock(&shared) == 0);
}
#pragma case rwlock_writer: pthread_rwlock_wrlock pthread_rwlock_trywrlock
static pthread_rwlock_t written = PTHREAD_RWLOCK_INITIALIZER;
static void rwlock_writer(void) {
  check(pthread_rwlock_wrlock(&written) == 0);
  check(pthread_rwlock_tryrdlock(&written) == EBUSY);
  check(pthread_rwlock_trywrlock(&written) == EBUSY);
  check(pthread_rwlock_unlock(&written) == 0);
  check(pthread_rwlock_tryrdlock(&written) == 0);
}
#pragma case rwlock_init: pthread_rwlock_init pthread_rwlock_destroy
static void rwlock_init(void) {
  pthread_rwlock_t l;
  check(pthread_rwlock_init(&l, NULL) == 0);
  check(pthread_rwlock_trywrlock(&l) == 0);
  check(pthread_rwlock_unlock(&l) == 0);
  check(pthread_rwlock_destroy(&l) == 0);
}
#pragma case rwlock_timed_free: pthread_rwlock_timedrdlock pthread_rwlock_timedwrlock
static void rwlock_timed_free(void) {
  pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;
  check(pthread_rwlock_timedrdlock(&l, &past) == 0);
  check(pthread_rwlock_unlock(&l) == 0);
  check(pthread_rwlock_timedwrlock(&l, &past) == 0);
  check(pthread_rwlock_tryrdlock(&l) == EBUSY);
}
#pragma case rwlock_timed_held: pthread_rwlock_timedrdlock pthread_rwlock_timedwrlock
static pthread_rwlock_t busy = PTHREAD_RWLOCK_INITIALIZER;
static void *impatient(void *arg) {
  check(pthread_rwlock_timedrdlock(&busy, &past) == ETIMEDOUT);
  check(pthread_rwlock_timedwrlock(&busy, &past) == ETIMEDOUT);
  return arg;
}
static void rwlock_timed_held(void) {
  pthread_t t;
  pthread_rwlock_wrlock(&busy);
  pthread_create(&t, NULL, impatient, NULL);
  pthread_join(t, NULL);
  check(pthread_rwlock_unlock(&busy) == 0);
}
#pragma case rwlock_other_reader: pthread_rwlock_tryrdlock pthread_rwlock_trywrlock
static pthread_rwlock_t read_by_main = PTHREAD_RWLOCK_INITIALIZER;
static void *reads_too(void *arg) {
  check(pthread_rwlock_trywrlock(&read_by_main) == EBUSY);
  check(pthread_rwlock_tryrdlock(&read_by_main) == 0);
  check(pthread_rwlock_unlock(&read_by_main) == 0);
  return arg;
}
static void rwlock_other_reader(void) {
  pthread_t t;
  pthread_rwlock_rdlock(&read_by_main);
  pthread_create(&t, NULL, reads_too, NULL);
  pthread_join(t, NULL);
  check(pthread_rwlock_unlock(&read_by_main) == 0);
}
#pragma case rwlock_excludes: pthread_rwlock_wrlock pthread_rwlock_unlock
static pthread_rwlock_t counting = PTHREAD_RWLOCK_INITIALIZER;
static int counted;
static void *counts(void *arg) {
  pthread_rwlock_wrlock(&counting);
  counted++;
  pthread_rwlock_unlock(&counting);
  return arg;
}
static void rwlock_excludes(void) {
  pthread_t t;
  pthread_create(&t, NULL, counts, NULL);
  counts(NULL);
  pthread_join(t, NULL);
  check(counted == 2);
}
#pragma case barrier_alone: pthread_barrier_init pthread_barrier_wait pthread_barrier_destroy
static void barrier_alone(void) {
  pthread_barrier_t b;
  check(pthread_barrier_init(&b, NULL, 1) == 0);
  check(pthread_barrier_wait(&b) == PTHREAD_BARRIER_SERIAL_THREAD);
  check(pthread_barrier_wait(&b) == PTHREAD_BARRIER_SERIAL_THREAD);
  check(pthread_barrier_destroy(&b) == 0);
}
#pragma case barrier_serial: pthread_barrier_wait
static pthread_barrier_t two;
static int serial[2];
static void *arrives(void *arg) {
  int r = pthread_barrier_wait(&two);
  check(r == 0 || r == PTHREAD_BARRIER_SERIAL_THREAD);
  serial[0] = r == PTHREAD_BARRIER_SERIAL_THREAD;
  return arg;
}
static void barrier_serial(void) {
  pthread_t t;
  pthread_barrier_init(&two, NULL, 2);
  pthread_create(&t, NULL, arrives, NULL);
  serial[1] = pthread_barrier_wait(&two) == PTHREAD_BARRIER_SERIAL_THREAD;
  pthread_join(t, NULL);
  check(serial[0] + serial[1] == 1);
}
#pragma case barrier_none: pthread_barrier_init
static void barrier_none(void) {
  pthread_barrier_t b;
  check(pthread_barrier_init(&b, NULL, 0) == EINVAL);
}
#pragma case barrier_orders: pthread_barrier_wait
static pthread_barrier_t gate;
static int before[2];
static void *writes_first(void *arg) {
  before[0] = 1;
  pthread_barrier_wait(&gate);
  check(before[1] == 2);
  return arg;
}
static void barrier_orders(void) {
  pthread_t t;
  pthread_barrier_init(&gate, NULL, 2);
  pthread_create(&t, NULL, writes_first, NULL);
  before[1] = 2;
  pthread_barrier_wait(&gate);
  check(before[0] == 1);
  pthread_join(t, NULL);
}
#pragma case cond_without_waiters: pthread_cond_init pthread_cond_signal pthread_cond_broadcast pthread_cond_destroy
static void cond_without_waiters(void) {
  pthread_cond_t c;
  check(pthread_cond_init(&c, NULL) == 0);
  check(pthread_cond_signal(&c) == 0);
  check(pthread_cond_broadcast(&c) == 0);
  check(pthread_cond_destroy(&c) == 0);
}
#pragma case cond_waits: pthread_cond_wait pthread_cond_signal
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int told;
static void *tells(void *arg) {
  pthread_mutex_lock(&m);
  told = 1;
  pthread_cond_signal(&c);
  pthread_mutex_unlock(&m);
  return arg;
}
static void cond_waits(void) {
  pthread_t t;
  pthread_mutex_lock(&m);
  pthread_create(&t, NULL, tells, NULL);
  int r = 0;
  if (!told) r = pthread_cond_wait(&c, &m);
  check(r == 0);
  check(pthread_mutex_trylock(&m) == EBUSY);
  check(pthread_mutex_unlock(&m) == 0);
  pthread_join(t, NULL);
}
#pragma case cond_times_out: pthread_cond_timedwait
static pthread_mutex_t lone = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t never = PTHREAD_COND_INITIALIZER;
static void cond_times_out(void) {
  pthread_mutex_lock(&lone);
  int r = pthread_cond_timedwait(&never, &lone, &past);
  check(r == ETIMEDOUT || r == 0);
  check(pthread_mutex_trylock(&lone) == EBUSY);
}
#pragma case cond_clock: pthread_cond_clockwait
static pthread_mutex_t by_clock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t by_clock_never = PTHREAD_COND_INITIALIZER;
static void cond_clock(void) {
  pthread_mutex_lock(&by_clock);
  int r = pthread_cond_clockwait(&by_clock_never, &by_clock, CLOCK_MONOTONIC, &past);
  check(r == ETIMEDOUT || r == 0);
  check(pthread_mutex_unlock(&by_clock) == 0);
}
#pragma case cond_recursive: pthread_cond_timedwait
static pthread_mutex_t nested = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static pthread_cond_t nested_never = PTHREAD_COND_INITIALIZER;
static void cond_recursive(void) {
  pthread_mutex_lock(&nested);
  int r = pthread_cond_timedwait(&nested_never, &nested, &past);
  check(r == ETIMEDOUT || r == 0);
  check(pthread_mutex_unlock(&nested) == 0);
  check(pthread_mutex_unlock(&nested) == EPERM);
}
#pragma case attributes: pthread_condattr_init pthread_condattr_destroy pthread_rwlockattr_init pthread_barrierattr_init
static void attributes(void) {
  pthread_condattr_t a;
  pthread_rwlockattr_t b;
  pthread_barrierattr_t d;
  check(pthread_condattr_init(&a) == 0);
  check(pthread_rwlockattr_init(&b) == 0);
  check(pthread_barrierattr_init(&d) == 0);
  check(pthread_condattr_destroy(&a) == 0);
}
#pragma case rwlock_attribute: pthread_rwlockattr_setkind_np pthread_rwlockattr_getkind_np pthread_rwlockattr_destroy
static void rwlock_attribute(void) {
  pthread_rwlockattr_t a;
  int kind = 7;
  check(pthread_rwlockattr_init(&a) == 0);
  check(pthread_rwlockattr_getkind_np(&a, &kind) == 0);
  check(kind == PTHREAD_RWLOCK_PREFER_READER_NP);
  check(pthread_rwlockattr_setkind_np(&a, 9) == EINVAL);
  check(pthread_rwlockattr_setkind_np(&a, PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP) == 0);
  pthread_rwlockattr_getkind_np(&a, &kind);
  check(kind == PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP);
  check(pthread_rwlockattr_destroy(&a) == 0);
}
#pragma case rwlock_kinds: pthread_rwlock_init pthread_rwlock_unlock pthread_rwlock_timedrdlock
static void rwlock_kinds(void) {
  pthread_rwlockattr_t a;
  pthread_rwlock_t l;
  pthread_rwlockattr_init(&a);
  pthread_rwlockattr_setkind_np(&a, PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP);
  pthread_rwlock_init(&l, &a);
  check(pthread_rwlock_rdlock(&l) == 0);
  check(pthread_rwlock_tryrdlock(&l) == 0);
  check(pthread_rwlock_trywrlock(&l) == EBUSY);
  check(pthread_rwlock_timedwrlock(&l, &past) == ETIMEDOUT);
  check(pthread_rwlock_unlock(&l) == 0);
  check(pthread_rwlock_unlock(&l) == 0);
  check(pthread_rwlock_wrlock(&l) == 0);
  check(pthread_rwlock_tryrdlock(&l) == EBUSY);
  check(pthread_rwlock_unlock(&l) == 0);
  check(pthread_rwlock_timedrdlock(&l, &past) == 0);
}
#pragma case rwlock_kind_excludes: pthread_rwlock_wrlock pthread_rwlock_rdlock
static pthread_rwlock_t in_turn = PTHREAD_RWLOCK_WRITER_NONRECURSIVE_INITIALIZER_NP;
static int halves[2];
static void *writes_both(void *arg) {
  pthread_rwlock_wrlock(&in_turn);
  halves[0] = halves[1] = 1;
  pthread_rwlock_unlock(&in_turn);
  return arg;
}
static void rwlock_kind_excludes(void) {
  pthread_t t;
  pthread_create(&t, NULL, writes_both, NULL);
  pthread_rwlock_rdlock(&in_turn);
  check(halves[0] == halves[1]);
  pthread_rwlock_unlock(&in_turn);
  pthread_join(t, NULL);
  check(halves[0] == 1);
}
#pragma case rwlock_attribute_at_first: pthread_rwlockattr_getkind_np
static void rwlock_attribute_at_first(void) {
  pthread_rwlockattr_t a;
  int kind = 7;
  pthread_rwlockattr_init(&a);
  check(pthread_rwlockattr_getkind_np(&a, &kind) == 0);
  check(kind == PTHREAD_RWLOCK_PREFER_READER_NP);
}
#pragma case sem_wrong_limit: sem_timedwait
static const struct timespec wrong = {1, 1000000000}, negative = {1, -1};
static void sem_wrong_limit(void) {
  sem_t s;
  sem_init(&s, 0, 0);
  check(sem_timedwait(&s, &wrong) == -1);
  check(errno == EINVAL);
  errno = 0;
  check(sem_timedwait(&s, &negative) == -1);
  check(errno == EINVAL);
}
#pragma case sem_clock: sem_clockwait
static void sem_clock(void) {
  sem_t s;
  sem_init(&s, 0, 1);
  check(sem_clockwait(&s, CLOCK_MONOTONIC, &past) == 0);
  check(sem_clockwait(&s, CLOCK_MONOTONIC, &past) == -1);
  check(errno == ETIMEDOUT);
  check(sem_clockwait(&s, CLOCK_PROCESS_CPUTIME_ID, &past) == -1);
  check(errno == EINVAL);
}
#pragma case rwlock_wrong_limit: pthread_rwlock_timedrdlock pthread_rwlock_timedwrlock
static const struct timespec no_limit = {1, 1000000000};
static void rwlock_wrong_limit(void) {
  pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;
  pthread_rwlock_rdlock(&l);
  check(pthread_rwlock_timedwrlock(&l, &no_limit) == EINVAL);
  check(pthread_rwlock_timedwrlock(&l, &past) == ETIMEDOUT);
  check(pthread_rwlock_unlock(&l) == 0);
}
#pragma case rwlock_clock: pthread_rwlock_clockrdlock pthread_rwlock_clockwrlock
static void rwlock_clock(void) {
  pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;
  check(pthread_rwlock_clockrdlock(&l, CLOCK_MONOTONIC, &past) == 0);
  check(pthread_rwlock_clockwrlock(&l, CLOCK_REALTIME, &past) == ETIMEDOUT);
  check(pthread_rwlock_clockwrlock(&l, CLOCK_PROCESS_CPUTIME_ID, &past) == EINVAL);
  check(pthread_rwlock_unlock(&l) == 0);
  check(pthread_rwlock_clockwrlock(&l, CLOCK_REALTIME, &past) == 0);
}
#pragma case cond_wrong_limit: pthread_cond_timedwait pthread_cond_clockwait
static void cond_wrong_limit(void) {
  struct timespec no_time = {1, 1000000000};
  pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
  pthread_cond_t c = PTHREAD_COND_INITIALIZER;
  pthread_mutex_lock(&m);
  check(pthread_cond_timedwait(&c, &m, &no_time) == EINVAL);
  check(pthread_cond_clockwait(&c, &m, CLOCK_PROCESS_CPUTIME_ID, &past) == EINVAL);
  check(pthread_mutex_trylock(&m) == EBUSY);
}
