// Dekker's entry protocol: who sees the other one's flag takes its own back unless it is its turn. Without the
// turn (-DNO_TURN) both wait for the other flag with their own raised.
//
// run: --check termination --unwind 3
// expect: sc,tso,power,aarch64,rc11=SAFE
//
// run: --check termination -DNO_TURN
// expect: all=UNSAFE

#include <pthread.h>
#include <stdatomic.h>

atomic_int flag[2], turn;

static void enter(int me) {
  flag[me] = 1;
  while (flag[1 - me]) {
#ifndef NO_TURN
    if (turn != me) {
      flag[me] = 0;
      while (turn != me) {
      }
      flag[me] = 1;
    }
#endif
  }
}

static void leave(int me) {
  turn = 1 - me;
  flag[me] = 0;
}

void *first(void *arg) {
  enter(0);
  leave(0);
  return 0;
}

void *second(void *arg) {
  enter(1);
  leave(1);
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
