// Plain accesses order the use of an object and its end where writes are not reordered, and only
// there.
//
// run: --unwind 2 --check memory
// expect: sc,tso=SAFE pso,rmo,alpha,power2010,power=UNSAFE
//
// run: -DEARLY --unwind 2
// expect: all=UNSAFE
//
// run: -DATOMIC --unwind 2
// expect: sc,tso,pso,rmo,alpha,power=SAFE

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#ifdef ATOMIC
atomic_int done;
#else
volatile int done;
#endif
int *object;

void *user(void *arg) {
#ifdef EARLY
  done = 1;
  *object = 1;
#else
  *object = 1;
  done = 1;
#endif
  return 0;
}

int main(void) {
  object = malloc(sizeof *object);
  pthread_t thread;
  pthread_create(&thread, 0, user, 0);
  while (!done) {
  }
  free(object);
  pthread_join(thread, 0);
  return 0;
}
