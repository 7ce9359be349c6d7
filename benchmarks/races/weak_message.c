// The race is behind a read that only a weak machine lets see the old value: the reader takes the
// unlocked path when the second flag is up and the first, which was raised before, is down.
//
// run: --check race
// expect: sc,tso=SAFE pso,rmo,alpha,power2010,power=UNSAFE

#include <pthread.h>
#include <stdatomic.h>

atomic_int prepared, announced;
int table;

void *writer(void *arg) {
  atomic_store_explicit(&prepared, 1, memory_order_relaxed);
  atomic_store_explicit(&announced, 1, memory_order_relaxed);
  table = 7;
  return 0;
}

int main(void) {
  pthread_t t;
  int seen = 0;
  pthread_create(&t, 0, writer, 0);
  if (atomic_load_explicit(&announced, memory_order_relaxed)) {
    if (!atomic_load_explicit(&prepared, memory_order_relaxed)) {
      seen = table;
    }
  }
  pthread_join(t, 0);
  return seen;
}
