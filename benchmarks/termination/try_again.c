// Two locks in two orders; who does not get its second one gives the first one back and begins again. Two threads may do so
// forever in step. That is no wait: each iteration writes, and the loop stops at its bound.
//
// run: --check termination --unwind 2
// expect: sc,tso,rc11=BOUND
//
// run: --check termination -DONE
// expect: sc,tso,rc11=SAFE

#include <pthread.h>
#include <stdatomic.h>

atomic_int a, b;

static void both(atomic_int *first, atomic_int *second) {
  for (;;) {
    while (atomic_exchange(first, 1)) {
    }
    if (!atomic_exchange(second, 1))
      break;
    *first = 0;
  }
  *second = 0;
  *first = 0;
}

void *forth(void *arg) {
  both(&a, &b);
  return 0;
}

void *back(void *arg) {
#ifndef ONE
  both(&b, &a);
#endif
  return 0;
}

int main(void) {
  pthread_t t[2];
  pthread_create(&t[0], 0, forth, 0);
  pthread_create(&t[1], 0, back, 0);
  pthread_join(t[0], 0);
  pthread_join(t[1], 0);
  return 0;
}
