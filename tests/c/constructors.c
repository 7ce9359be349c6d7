// Functions that run before main and when the program ends, by a return from main or by exit.
// tests/front/c/run/constructors.c has the order by priority, which a compiler confirms.
//
// run:
// expect: sc,tso,power=SAFE
//
// run: -DEXIT
// expect: sc,tso,power=SAFE
//
// run: -DWRONG
// expect: sc,tso,power=UNSAFE
//
// run: -DEXIT -DWRONG
// expect: sc,tso,power=UNSAFE
//
// run: -DQUICK -DWRONG
// expect: sc=SAFE
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#ifdef WRONG
#define END 1
#else
#define END 2
#endif

static int *shared;
static pthread_mutex_t lock;

__attribute__((constructor)) static void begin(void) {
  pthread_mutex_init(&lock, 0);
  shared = calloc(1, sizeof *shared);
  assert(shared);
}

static __attribute__((destructor)) void finish(void) {
  assert(*shared == END);
  free(shared);
}

static void *add(void *argument) {
  pthread_mutex_lock(&lock);
  ++*shared;
  pthread_mutex_unlock(&lock);
  return argument;
}

int main(void) {
  pthread_t one, other;
  pthread_create(&one, 0, add, 0);
  pthread_create(&other, 0, add, 0);
  pthread_join(one, 0);
  pthread_join(other, 0);
#ifdef QUICK
  _exit(0);
#endif
#ifdef EXIT
  exit(0);
#endif
  return 0;
}
