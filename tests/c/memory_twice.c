// Two threads free one object, the one that is created later before the other.
//
// run:
// expect: all=UNSAFE
//
// run: -DONCE
// expect: all=SAFE

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

atomic_int flag;
int *object;

void *second(void *arg) {
#ifndef ONCE
  if (atomic_load_explicit(&flag, memory_order_acquire)) {
    free(object);
  }
#endif
  return 0;
}

void *first(void *arg) {
  free(object);
  atomic_store_explicit(&flag, 1, memory_order_release);
  return 0;
}

int main(void) {
  object = malloc(sizeof *object);
  pthread_t one, two;
  pthread_create(&one, 0, second, 0);
  pthread_create(&two, 0, first, 0);
  return 0;
}
