// A latch that two threads count down and a third one waits for. Every order is seq_cst.

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

int a, b;
atomic_int count = 2;

void *first(void *arg) {
  a = 1;
  atomic_fetch_sub(&count, 1);
  return 0;
}

void *second(void *arg) {
  b = 1;
  atomic_fetch_sub(&count, 1);
  return 0;
}

int main(void) {
  pthread_t t, u;
  pthread_create(&t, 0, first, 0);
  pthread_create(&u, 0, second, 0);
  while (atomic_load(&count))
    ;
  assert(a == 1 && b == 1);
  return 0;
}
