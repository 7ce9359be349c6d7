// A thread that waits for what nobody writes is never joined: no execution ends.
//
// run: --unwind 1
// expect: all=UNKNOWN

#include "fences.h"
#include <assert.h>
#include <pthread.h>

int y;

void *thread0(void *arg) {
  while (y == 0) {
  }
  return 0;
}

int main(void) {
  pthread_t t0;
  pthread_create(&t0, 0, thread0, 0);
  pthread_join(t0, 0);
  assert(0);
  return 0;
}
