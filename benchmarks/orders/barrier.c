// A barrier of two with a sense. Every order is seq_cst.

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

int a, b;
atomic_int count;
atomic_int sense;

void barrier(void) {
  if (atomic_fetch_add(&count, 1) == 1)
    atomic_store(&sense, 1);
  else
    while (!atomic_load(&sense))
      ;
}

void *first(void *arg) {
  a = 1;
  barrier();
  assert(b == 1);
  return 0;
}

void *second(void *arg) {
  b = 1;
  barrier();
  assert(a == 1);
  return 0;
}

int main(void) {
  pthread_t t, u;
  pthread_create(&t, 0, first, 0);
  pthread_create(&u, 0, second, 0);
  pthread_join(t, 0);
  pthread_join(u, 0);
  return 0;
}
