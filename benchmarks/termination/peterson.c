// Peterson's lock. Without giving the turn away (-DNO_TURN) both wait with their flags raised.
//
// run: --check termination
// expect: all=SAFE
//
// run: --check termination -DNO_TURN
// expect: all=UNSAFE

#include <pthread.h>
#include <stdatomic.h>

atomic_int flag[2], turn;

static void section(int me) {
  flag[me] = 1;
#ifdef NO_TURN
  while (flag[1 - me]) {
  }
#else
  turn = 1 - me;
  while (flag[1 - me] && turn == 1 - me) {
  }
#endif
  flag[me] = 0;
}

void *first(void *arg) {
  section(0);
  return 0;
}

void *second(void *arg) {
  section(1);
  return 0;
}

int main(void) {
  pthread_t t[2];
  pthread_create(&t[0], 0, first, 0);
  pthread_create(&t[1], 0, second, 0);
  pthread_join(t[0], 0);
  pthread_join(t[1], 0);
  return 0;
}
