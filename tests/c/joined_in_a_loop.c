// Main joins the only other thread in the first iteration of a loop, and is alone from there on: what it writes then is
// no value that it shares with any thread. -DEARLIER writes before, where the thread overwrites it.
//
// run: --check assert
// expect: all=UNSAFE
//
// run: --check assert -DEARLIER
// expect: all=SAFE

#include <assert.h>
#include <pthread.h>

int g, k;

void *other(void *arg) {
  k = g;
  g = 0;
  return 0;
}

int main(void) {
  pthread_t t;
#ifdef EARLIER
  g = 5;
#endif
  pthread_create(&t, 0, other, 0);
  for (int r = 0; r < 2; r++) {
    if (r == 0) {
      pthread_join(t, 0);
#ifndef EARLIER
      g = 5;
#endif
    }
    assert(g == 0 || r == 0);
  }
  return 0;
}
