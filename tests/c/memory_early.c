// What a thread allocates and publishes: who sees the address before the beginning of the object
// reads what was in that memory before.
//
// run: --check memory
// expect: sc,tso=SAFE pso,rmo,alpha,power2010,power=UNSAFE
//
// run: --check memory -DZEROED
// expect: sc,tso=SAFE pso,rmo,alpha,power2010,power=UNSAFE
//
// run: --check memory -DSTACK
// expect: sc,tso=SAFE pso,rmo,alpha,power2010,power=UNSAFE
//
// run: --check memory -DORDER=release
// expect: sc,tso,pso,rmo,power=SAFE power2010=UNSAFE
//
// run: --check memory -DSTACK -DORDER=release
// expect: sc,tso,pso,rmo,power=SAFE power2010=UNSAFE

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#ifndef ORDER
#define ORDER relaxed
#endif
#define PASTE(a, b) a##b
#define MEMORY_ORDER(o) PASTE(memory_order_, o)

static int *_Atomic box;
static atomic_int done;

static void *maker(void *arg) {
#ifdef STACK
  int object;
  int *p = &object;
#elif defined ZEROED
  int *p = calloc(1, sizeof *p);
#else
  int *p = malloc(sizeof *p);
#endif
#ifndef ZEROED
  *p = 0;
#endif
  atomic_store_explicit(&box, p, MEMORY_ORDER(ORDER));
#ifdef STACK
  while (!done) {
  }
#endif
  return 0;
}

int main(void) {
  pthread_t t;
  pthread_create(&t, 0, maker, 0);
  int *p = atomic_load_explicit(&box, memory_order_acquire);
  if (p) {
    int seen = *p;
    done = 1;
  }
  pthread_join(t, 0);
  return 0;
}
