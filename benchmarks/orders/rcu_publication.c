// An object that is published by its address. Every order is seq_cst.

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

struct object {
  int value;
};

struct object object;
_Atomic(struct object *) published;

void *first(void *arg) {
  object.value = 1;
  atomic_store(&published, &object);
  return 0;
}

void *second(void *arg) {
  struct object *seen = atomic_load(&published);
  if (seen)
    assert(seen->value == 1);
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
