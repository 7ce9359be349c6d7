// pthread_once orders the initialisation before everybody's use; a thread-local counter is a
// different object in each thread.
//
// run: --check race
// expect: all=SAFE

#include <pthread.h>

pthread_once_t once = PTHREAD_ONCE_INIT;
int table[2];
_Thread_local int uses;

static void fill(void) {
  table[0] = 3;
  table[1] = 4;
}

static int use(int i) {
  pthread_once(&once, fill);
  uses++;
  return table[i];
}

void *other(void *arg) {
  use(0);
  return 0;
}

int main(void) {
  pthread_t t;
  pthread_create(&t, 0, other, 0);
  int seen = use(0) + use(1);
  pthread_join(t, 0);
  return seen != 7 || uses != 2;
}
