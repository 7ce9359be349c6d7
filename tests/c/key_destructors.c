// The destructor of a thread-specific key runs where a thread ends that has a value, and not where
// the process ends.
//
// run: --check assert,memory,leak --unwind 8
// expect: all=SAFE
//
// run: -DEXIT --check assert,memory,leak --unwind 8
// expect: all=SAFE
//
// The start routine is one of two.
// run: -DCOMPUTED --check assert,memory,leak --unwind 8
// expect: all=SAFE
//
// run: -DCOMPUTED -DEXIT --check assert,memory,leak --unwind 8
// expect: all=SAFE
//
// run: -DCOMPUTED -DFORGOTTEN --check assert,memory,leak --unwind 8
// expect: all=UNSAFE
//
// run: -DMAIN --check assert,memory,leak --unwind 8
// expect: all=UNSAFE
//
// run: -DFORGOTTEN --check assert,memory,leak --unwind 8
// expect: all=UNSAFE

#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static pthread_key_t key, other;
static int released;

static void release(void *value) {
  assert(*(int *)value == 7);
  assert(pthread_getspecific(key) == NULL);
  released++;
  free(value);
}

static void *worker(void *arg) {
  int *value = malloc(sizeof *value);
  *value = 7;
  pthread_setspecific(key, value);
#ifdef FORGOTTEN
  pthread_setspecific(key, NULL);
#endif
#ifdef EXIT
  pthread_exit(arg);
#endif
  return arg;
}

#ifdef COMPUTED
static void *idle(void *arg) { return arg; }
static void *(*routines[])(void *) = {idle, worker};
extern int __VERIFIER_nondet_int(void);
#endif

int main(void) {
  pthread_key_create(&key, release);
  pthread_key_create(&other, NULL);
  pthread_t thread;
  void *result;
#ifdef COMPUTED
  int i = __VERIFIER_nondet_int() != 0;
  pthread_create(&thread, NULL, routines[i], &key);
#else
  int i = 1;
  pthread_create(&thread, NULL, worker, &key);
#endif
  pthread_join(thread, &result);
  assert(result == &key);
  assert(released == i);
#ifdef MAIN
  pthread_setspecific(key, malloc(4));
#endif
  return 0;
}
