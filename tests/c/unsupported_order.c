// Only an execution that is not sequentially consistent reaches what is not supported.
//
// expect: sc=SAFE tso,pso,power=UNKNOWN

#include <assert.h>
#include <pthread.h>
#include <unistd.h>

static volatile int x, y;
static int a, b;

static void *first(void *arg) {
  x = 1;
  a = y;
  return arg;
}

static void *second(void *arg) {
  y = 1;
  b = x;
  return arg;
}

int main(void) {
  pthread_t one, two;
  pthread_create(&one, 0, first, 0);
  pthread_create(&two, 0, second, 0);
  pthread_join(one, 0);
  pthread_join(two, 0);
  if (a == 0 && b == 0) {
    fork();
    assert(0);
  }
  return 0;
}
