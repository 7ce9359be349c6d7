// A wait for a futex ends at any time; who looks at the value again is right, who does not is not.
//
// run: --check assert,memory,race
// expect: all=SAFE
//
// run: -DONCE --check assert
// expect: all=UNSAFE
//
// run: --check deadlock
// expect: all=UNKNOWN

#include <assert.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <unistd.h>

static atomic_int ready;
static int data;

static long futex(atomic_int *word, int operation, int value) {
  return syscall(SYS_futex, word, operation, value, NULL, NULL, 0);
}

static void *produce(void *arg) {
  data = 1;
  ready = 1;
  futex(&ready, FUTEX_WAKE_PRIVATE, 1);
  return arg;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, produce, NULL);
#ifdef ONCE
  futex(&ready, FUTEX_WAIT_PRIVATE, 0);
  assert(ready);
#else
  while (!ready) futex(&ready, FUTEX_WAIT_PRIVATE, 0);
  assert(data == 1);
#endif
  return 0;
}
