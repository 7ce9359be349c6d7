// A bit-field of width zero ends a memory location, and a member that is no bit-field is one of its
// own: nothing here is shared.
//
// run: --check race
// expect: all=SAFE

#include <pthread.h>

struct {
  unsigned ready : 1;
  unsigned : 0;
  unsigned closed : 1;
  char letter;
} state;

void *other(void *arg) {
  state.closed = 1;
  return 0;
}

void *third(void *arg) {
  state.letter = 'x';
  return 0;
}

int main(void) {
  pthread_t t, u;
  pthread_create(&t, 0, other, 0);
  pthread_create(&u, 0, third, 0);
  state.ready = 1;
  pthread_join(t, 0);
  pthread_join(u, 0);
  return 0;
}
