// A signal that no function of the program looks at has its default action: one that ends the process ends it
// at some time, and what blocks then is no deadlock. A thread that sends it to itself does not go on.
//
// run: --check assert,misuse,deadlock
// expect: all=SAFE
//
// run: -DGOES_ON
// expect: all=UNSAFE
//
// run: -DTO_ITSELF
// expect: all=SAFE
//
// run: -DNO_ACTION --check deadlock
// expect: all=UNSAFE
//
// run: -DHANDLED
// expect: all=UNKNOWN
//
// run: -DSTOPS
// expect: all=UNKNOWN

#include <assert.h>
#include <pthread.h>
#include <signal.h>

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int reached;

void *worker(void *unused) {
  pthread_mutex_lock(&lock);
  reached = 1;
  pthread_mutex_unlock(&lock);
  return unused;
}

#ifdef HANDLED
static void ignore(int number) { (void)number; }
#endif

int main(void) {
  pthread_t thread;
#ifdef HANDLED
  signal(SIGTERM, ignore);
#endif
  pthread_mutex_lock(&lock);
  pthread_create(&thread, 0, worker, 0);
#ifdef TO_ITSELF
  pthread_kill(pthread_self(), SIGTERM);
  assert(0);
#elif defined(NO_ACTION)
  if (pthread_kill(thread, SIGCHLD) != 0) return 0;
#elif defined(STOPS)
  if (pthread_kill(thread, SIGSTOP) != 0) return 0;
#else
  if (pthread_kill(thread, SIGTERM) != 0) return 0;
#endif
#ifdef GOES_ON
  assert(0);
#endif
  pthread_join(thread, 0);
  return 0;
}
