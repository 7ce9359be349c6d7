// A message and its flag. Every order is seq_cst.

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

int data;
atomic_int flag;

void *first(void *arg) {
  data = 1;
  atomic_store(&flag, 1);
  return 0;
}

void *second(void *arg) {
  if (atomic_load(&flag))
    assert(data == 1);
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
