// A text is written with the functions for strings and published with a flag.
//
// run: --unwind 7
// expect: all=SAFE
//
// run: --unwind 7 -DRELAXED
// expect: sc,tso=SAFE pso,rmo,alpha,power2010,power=UNSAFE

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

char text[4];
atomic_int ready;
#ifdef RELAXED
#define ORDER memory_order_relaxed
#else
#define ORDER memory_order_seq_cst
#endif

void *writer(void *arg) {
  strcpy(text, "ok");
  atomic_store_explicit(&ready, 1, ORDER);
  return 0;
}

int main(void) {
  pthread_t t;
  pthread_create(&t, 0, writer, 0);
  if (atomic_load_explicit(&ready, ORDER)) assert(memcmp(text, "ok", 3) == 0);
  return 0;
}
