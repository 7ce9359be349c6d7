// An object with a reference count: the last owner ends it. Every order is seq_cst.

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

int object = 1;
atomic_int owners = 2;

void release(void) {
  if (atomic_fetch_sub(&owners, 1) == 1)
    object = 0;
}

void *first(void *arg) {
  int seen = object;
  assert(seen == 1);
  release();
  return 0;
}

void *second(void *arg) {
  int seen = object;
  assert(seen == 1);
  release();
  return 0;
}

int main(void) {
  pthread_t t, u;
  pthread_create(&t, 0, first, 0);
  pthread_create(&u, 0, second, 0);
  pthread_join(t, 0);
  pthread_join(u, 0);
  assert(object == 0);
  return 0;
}
