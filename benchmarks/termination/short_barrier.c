// A barrier that counts down: who is last lets the others go. -DMISSING waits for one thread more than there are.
//
// run: --check termination
// expect: all=SAFE
//
// run: --check termination -DMISSING
// expect: all=UNSAFE

#include <pthread.h>
#include <stdatomic.h>

#ifdef MISSING
#define PARTIES 3
#else
#define PARTIES 2
#endif
atomic_int arrived, go;

void *party(void *arg) {
  if (atomic_fetch_add_explicit(&arrived, 1, memory_order_acq_rel) == PARTIES - 1)
    atomic_store_explicit(&go, 1, memory_order_release);
  while (!atomic_load_explicit(&go, memory_order_acquire)) {
  }
  return 0;
}

int main(void) {
  pthread_t t[2];
  pthread_create(&t[0], 0, party, 0);
  pthread_create(&t[1], 0, party, 0);
  pthread_join(t[0], 0);
  pthread_join(t[1], 0);
  return 0;
}
