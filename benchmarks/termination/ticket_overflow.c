// A ticket lock. With -DTICKETS=2 there are fewer tickets than threads: two threads have one number, and a third
// misses its own.
//
// run: --check termination
// expect: all=SAFE
//
// run: --check termination -DTICKETS=2
// expect: all=UNSAFE

#include <pthread.h>
#include <stdatomic.h>

#ifndef TICKETS
#define TICKETS 4
#endif
atomic_uint next, serving;

void *section(void *arg) {
  unsigned mine = atomic_fetch_add(&next, 1) % TICKETS;
  while (serving % TICKETS != mine) {
  }
  serving = serving + 1;
  return 0;
}

int main(void) {
  pthread_t t[3];
  pthread_create(&t[0], 0, section, 0);
  pthread_create(&t[1], 0, section, 0);
  pthread_create(&t[2], 0, section, 0);
  pthread_join(t[0], 0);
  pthread_join(t[1], 0);
  pthread_join(t[2], 0);
  return 0;
}
