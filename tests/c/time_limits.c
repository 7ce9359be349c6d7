// A wait without a limit is never late; one with a limit may be, and a limit that is none is an error.
// Clocks show times that are none of these.
//
// run: --check assert -DFUTEX
// expect: all=SAFE
//
// run: --check assert -DFUTEX -DLIMIT=&later
// expect: all=UNSAFE
//
// run: --check assert -DWRONG
// expect: all=SAFE
//
// run: --check assert -DCLOCK
// expect: all=SAFE
//
// run: --check assert -DLATE
// expect: all=UNSAFE
//
// run: --check assert -DHANDLER
// expect: all=UNSAFE

#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <sys/syscall.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

#ifndef LIMIT
#define LIMIT (struct timespec *)0
#endif
static struct timespec later = {1, 0}, never = {1, 1000000000};
static int word;
static sem_t sem;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;

#ifdef HANDLER
static void handles(int number) { word = number; }
#endif

static void *wakes(void *arg) {
  __atomic_store_n(&word, 1, __ATOMIC_SEQ_CST);
  return arg;
}

int main(void) {
#ifdef FUTEX
  pthread_t t;
  pthread_create(&t, 0, wakes, 0);
  long r = syscall(SYS_futex, &word, FUTEX_WAIT, 0, LIMIT, 0, 0);
  assert(r == 0 || errno == EINTR || errno == EAGAIN);
#endif
#ifdef WRONG
  sem_init(&sem, 0, 0);
  assert(sem_timedwait(&sem, &never) == -1);
  assert(errno == EINVAL);
  pthread_mutex_lock(&m);
  assert(pthread_cond_timedwait(&c, &m, &never) == EINVAL);
  assert(pthread_mutex_timedlock(&m, &never) == EINVAL);
  assert(nanosleep(&never, 0) == -1);
  assert(syscall(SYS_futex, &word, FUTEX_WAIT, 0, &never, 0, 0) == -1);
#endif
#ifdef CLOCK
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  assert(now.tv_nsec >= 0 && now.tv_nsec < 1000000000);
  now.tv_sec += 5;
  pthread_mutex_lock(&m);
  int r = pthread_cond_timedwait(&c, &m, &now);
  assert(r == 0 || r == ETIMEDOUT);
  assert(nanosleep(&now, &now) == 0);
#endif
#ifdef LATE
  sem_init(&sem, 0, 0);
  errno = 0;
  if (sem_timedwait(&sem, &later) == -1) assert(errno != ETIMEDOUT);
#endif
#ifdef HANDLER
  signal(SIGUSR1, handles);
  assert(nanosleep(&later, 0) == 0);
#endif
  return 0;
}
