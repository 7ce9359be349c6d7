// A reader says that it is done with an object, relaxed, and the owner frees it then. Nothing orders the
// last access and the end of the object. -DRELEASED says it by a release, which does.
//
// run: --check race
// expect: all=UNSAFE rc11=UNSAFE
//
// run: -DATOMIC --check race
// expect: all=UNSAFE
//
// run: -DRELEASED --check race
// expect: sc,tso,pso,rmo,alpha,power,aarch64,riscv,rc11=SAFE

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#ifdef ATOMIC
typedef atomic_int number;
#else
typedef int number;
#endif
#ifdef RELEASED
#define ORDER memory_order_release
#else
#define ORDER memory_order_relaxed
#endif

atomic_int done;

void *reader(void *shared) {
  int seen = *(number *)shared;
  atomic_store_explicit(&done, 1, ORDER);
  return 0;
}

int main(void) {
  number *shared = malloc(sizeof *shared);
  *shared = 1;
  pthread_t t;
  pthread_create(&t, 0, reader, shared);
  if (atomic_load_explicit(&done, memory_order_acquire))
    free(shared);
  pthread_join(t, 0);
}
