// What a thread wrote is visible after its join, and what main wrote before its creation.
//
// run: -DJOIN
// expect: all=SAFE
//
// run: -DCREATE
// expect: all=SAFE
//
// run: -DNO_JOIN
// expect: all=UNSAFE

#include "fences.h"
#include <assert.h>
#include <pthread.h>

int x, y, seen;

void *thread0(void *arg) {
  seen = x;
  x = 1;
  y = 2;
  return 0;
}

int main(void) {
  pthread_t t;
  x = 5;
  pthread_create(&t, 0, thread0, 0);
#ifndef NO_JOIN
  pthread_join(t, 0);
#endif
#ifdef CREATE
  assert(seen == 5);
#else
  assert(x == 1 && y == 2);
#endif
  return 0;
}
