// To the language a program with a data race has no meaning, whatever it asserts: there races are checked without
// being asked for, and those who ask for assertions alone are told that no race is assumed. A machine runs it.
//
// run:
// expect: all=SAFE rc11=UNSAFE
//
// run: --check assert
// expect: all=SAFE rc11=SAFE
//
// run: -DORDER=atomic_
// expect: all=SAFE rc11=SAFE

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifdef ORDER
atomic_int x;
#else
int x;
#endif

static void *thread(void *arg) {
  x = 1;
  return 0;
}

int main(void) {
  pthread_t t;
  pthread_create(&t, 0, thread, 0);
  assert(x < 2);
  pthread_join(t, 0);
  assert(x == 1);
  return 0;
}
