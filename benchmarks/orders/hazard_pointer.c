// A hazard pointer: what a reader has announced is not ended. Every order is seq_cst.

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

struct object {
  int value;
};

struct object objects[2] = {{1}, {1}};
_Atomic(struct object *) current = &objects[0];
_Atomic(struct object *) hazard;

void *first(void *arg) {
  struct object *seen = atomic_load(&current);
  atomic_store(&hazard, seen);
  if (atomic_load(&current) == seen)
    assert(seen->value == 1);
  atomic_store(&hazard, 0);
  return 0;
}

void *second(void *arg) {
  struct object *old = atomic_exchange(&current, &objects[1]);
  if (atomic_load(&hazard) != old)
    old->value = 0;
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
