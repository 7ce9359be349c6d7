// A message that a third thread gets by way of a second one. Every order is seq_cst.

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

int data;
atomic_int sent, passed;

void *sender(void *arg) {
  data = 1;
  atomic_store(&sent, 1);
  return 0;
}

void *middle(void *arg) {
  if (atomic_load(&sent))
    atomic_store(&passed, 1);
  return 0;
}

int main(void) {
  pthread_t t, u;
  pthread_create(&t, 0, sender, 0);
  pthread_create(&u, 0, middle, 0);
  if (atomic_load(&passed))
    assert(data == 1);
  return 0;
}
