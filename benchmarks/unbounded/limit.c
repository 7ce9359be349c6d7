// Any number of threads raise a number up to a limit, and look at it without the lock.
// -DUNLOCKED raises it without the lock, -DLATE looks at the limit behind.
//
// run: --check assert,memory,misuse
// expect: sc=SAFE tso=SAFE pso=SAFE rc11=SAFE aarch64=SAFE riscv=SAFE power=SAFE
//
// run: --check assert,memory,misuse --unwind 3 -DUNLOCKED
// expect: sc=UNSAFE tso=UNSAFE rc11=UNSAFE aarch64=UNSAFE
//
// run: --check assert,memory,misuse --unwind 3 -DLATE
// expect: sc=UNSAFE tso=UNSAFE rc11=UNSAFE aarch64=UNSAFE

#include <assert.h>
#include <pthread.h>

int raised;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void *worker(void *arg) {
#ifdef UNLOCKED
  if (raised < 2) {
    pthread_mutex_lock(&lock);
    raised++;
    pthread_mutex_unlock(&lock);
  }
#else
  pthread_mutex_lock(&lock);
#ifdef LATE
  raised++;
  if (raised > 2) raised = 2;
#else
  if (raised < 2) raised++;
#endif
  pthread_mutex_unlock(&lock);
#endif
  return 0;
}

int main(void) {
  pthread_t t;
  for (;;) {
    assert(0 <= raised && raised <= 2);
    pthread_create(&t, 0, worker, 0);
  }
}
