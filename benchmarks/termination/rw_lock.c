// A writer waits until there are no readers. -DFORGETS leaves out that a reader leaves.
//
// run: --check termination
// expect: all=SAFE
//
// run: --check termination -DFORGETS
// expect: all=UNSAFE

#include <pthread.h>
#include <stdatomic.h>

atomic_int readers, writing;

void *reader(void *arg) {
  for (;;) {
    while (writing) {
    }
    atomic_fetch_add(&readers, 1);
    if (!writing)
      break;
    atomic_fetch_sub(&readers, 1);
  }
#ifndef FORGETS
  atomic_fetch_sub(&readers, 1);
#endif
  return 0;
}

void *writer(void *arg) {
  writing = 1;
  while (readers) {
  }
  writing = 0;
  return 0;
}

int main(void) {
  pthread_t t[2];
  pthread_create(&t[0], 0, reader, 0);
  pthread_create(&t[1], 0, writer, 0);
  pthread_join(t[0], 0);
  pthread_join(t[1], 0);
  return 0;
}
