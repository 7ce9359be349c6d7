#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include "check.h"

#pragma case signal_sets: sigemptyset sigfillset sigaddset sigdelset sigismember
static void signal_sets(void) {
  sigset_t set;
  check(sigemptyset(&set) == 0);
  check(sigismember(&set, SIGINT) == 0);
  check(sigaddset(&set, SIGINT) == 0);
  check(sigismember(&set, SIGINT) == 1);
  check(sigismember(&set, SIGTERM) == 0);
  check(sigdelset(&set, SIGINT) == 0);
  check(sigismember(&set, SIGINT) == 0);
  check(sigfillset(&set) == 0);
  check(sigismember(&set, 64) == 1);
}
#pragma case signal_numbers: sigaddset sigdelset sigismember
static void signal_numbers(void) {
  sigset_t set;
  sigemptyset(&set);
  check(sigaddset(&set, 65) == -1);
  check(errno == EINVAL);
  check(sigaddset(&set, 0) == -1);
  check(sigdelset(&set, -1) == -1);
  check(sigismember(&set, 65) == -1);
}
#pragma case signal_masks: pthread_sigmask sigprocmask
static void signal_masks(void) {
  sigset_t set, old;
  sigemptyset(&set);
  check(pthread_sigmask(SIG_BLOCK, &set, &old) == 0);
  check(pthread_sigmask(77, &set, 0) == EINVAL);
  check(pthread_sigmask(77, 0, &old) == 0);
  check(sigprocmask(SIG_SETMASK, &set, 0) == 0);
  check(sigprocmask(77, &set, 0) == -1);
  check(errno == EINVAL);
}
#pragma case signal_of_none: pthread_kill
static void signal_of_none(void) {
  check(pthread_kill(pthread_self(), 65) == EINVAL);
}
