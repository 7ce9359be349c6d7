// Slots are handed out by an atomic counter, so nobody shares one until the counter wraps: three
// slots for four claims.
//
// run: --check race --unwind 2
// expect: all=UNSAFE
//
// run: --check race --unwind 2 -DSLOTS=4
// expect: all=SAFE

#include <pthread.h>
#include <stdatomic.h>

#ifndef SLOTS
#define SLOTS 3
#endif

atomic_uint next;
int slot[SLOTS];

void *worker(void *arg) {
  for (int i = 0; i < 2; i++) {
    unsigned mine = atomic_fetch_add_explicit(&next, 1, memory_order_relaxed) % SLOTS;
    slot[mine] = i;
  }
  return 0;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, worker, 0);
  pthread_create(&b, 0, worker, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  return 0;
}
