// Two threads that write a variable in turns. Every order is seq_cst.

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

int data;
atomic_int turn;

void *first(void *arg) {
  data = 1;
  atomic_store(&turn, 1);
  while (atomic_load(&turn) != 2)
    ;
  assert(data == 2);
  return 0;
}

void *second(void *arg) {
  while (atomic_load(&turn) != 1)
    ;
  assert(data == 1);
  data = 2;
  atomic_store(&turn, 2);
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
