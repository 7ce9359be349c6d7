// A grace period in user space: who updates waits until no reader is in a section. With -DNEVER_QUIESCES the reader
// waits in its section for what comes after the grace period.
//
// run: --check termination
// expect: all=SAFE
//
// run: --check termination -DNEVER_QUIESCES
// expect: all=UNSAFE

#include <pthread.h>
#include <stdatomic.h>

atomic_int readers, updated;

void *reader(void *arg) {
  atomic_fetch_add(&readers, 1);
#ifdef NEVER_QUIESCES
  while (!updated) {
  }
#endif
  atomic_fetch_sub(&readers, 1);
#ifndef NEVER_QUIESCES
  while (!updated) {
  }
#endif
  return 0;
}

void *updater(void *arg) {
  while (readers) {
  }
  updated = 1;
  return 0;
}

int main(void) {
  pthread_t t[2];
  pthread_create(&t[0], 0, reader, 0);
  pthread_create(&t[1], 0, updater, 0);
  pthread_join(t[0], 0);
  pthread_join(t[1], 0);
  return 0;
}
