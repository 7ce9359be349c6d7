// A loop that waits, and looks at an object that another thread frees when the loop has ended. The
// look needs nothing of what comes behind the loop but the signal to free: where a read may be late,
// it comes too late.
//
// run: --check memory
// expect: sc,tso,pso=SAFE rmo,alpha,power,power2010=UNSAFE
//
// run: --check memory -DONCE
// expect: sc,tso,pso=SAFE rmo,alpha,power,power2010=UNSAFE

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

atomic_int flag, done;
int *object;

void *owner(void *arg) {
  atomic_store_explicit(&flag, 1, memory_order_relaxed);
  if (atomic_load_explicit(&done, memory_order_acquire))
    free(object);
  return 0;
}

int main(void) {
  pthread_t t;
  object = malloc(sizeof *object);
  *object = 1;
  pthread_create(&t, 0, owner, 0);
#ifdef ONCE
  if (!atomic_load_explicit(&flag, memory_order_relaxed)) {
    int seen = *object;
  }
  if (!atomic_load_explicit(&flag, memory_order_relaxed))
    return 0;
#else
  while (!atomic_load_explicit(&flag, memory_order_relaxed)) {
    int seen = *object;
  }
#endif
  atomic_store_explicit(&done, 1, memory_order_relaxed);
  pthread_join(t, 0);
  return 0;
}
