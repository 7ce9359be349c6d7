// Who comes first initialises, the others wait. With -DFAILS the initialisation may fail, and the state stays.
//
// run: --check termination
// expect: all=SAFE
//
// run: --check termination -DFAILS
// expect: all=UNSAFE

#include <pthread.h>
#include <stdatomic.h>

extern int __VERIFIER_nondet_int(void);
enum { NEW, RUNS, DONE };
atomic_int state;
int value;

void *user(void *arg) {
  int expected = NEW;
  if (atomic_compare_exchange_strong(&state, &expected, RUNS)) {
#ifdef FAILS
    if (__VERIFIER_nondet_int())
      return 0;
#endif
    value = 1;
    atomic_store_explicit(&state, DONE, memory_order_release);
  }
  while (atomic_load_explicit(&state, memory_order_acquire) != DONE) {
  }
  return 0;
}

int main(void) {
  pthread_t t[2];
  pthread_create(&t[0], 0, user, 0);
  pthread_create(&t[1], 0, user, 0);
  pthread_join(t[0], 0);
  pthread_join(t[1], 0);
  return 0;
}
