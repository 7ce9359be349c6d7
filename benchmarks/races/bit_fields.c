// Bit-fields side by side are one memory location, so two threads that each write their own race.
//
// run: --check race
// expect: all=UNSAFE

#include <pthread.h>

struct {
  unsigned ready : 1;
  unsigned closed : 1;
} state;

void *other(void *arg) {
  state.closed = 1;
  return 0;
}

int main(void) {
  pthread_t t;
  pthread_create(&t, 0, other, 0);
  state.ready = 1;
  pthread_join(t, 0);
  return 0;
}
