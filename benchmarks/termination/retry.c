// Retry loops that end: a compare-exchange that fails has lost against one that did not.
//
// run: --check termination
// expect: all=SAFE
//
// run: --check termination -DWEAK --weak-cas machine
// expect: all=SAFE

#include <pthread.h>
#include <stdatomic.h>

#ifdef WEAK
#define swap atomic_compare_exchange_weak
#else
#define swap atomic_compare_exchange_strong
#endif
atomic_int counter;

void *increment(void *arg) {
  int old = counter;
  while (!swap(&counter, &old, old + 1)) {
  }
  return 0;
}

int main(void) {
  pthread_t t[2];
  pthread_create(&t[0], 0, increment, 0);
  pthread_create(&t[1], 0, increment, 0);
  pthread_join(t[0], 0);
  pthread_join(t[1], 0);
  return 0;
}
