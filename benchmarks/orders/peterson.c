// Peterson's mutual exclusion. Every order is seq_cst.

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

int shared;
atomic_int wants[2], turn;

void enter(int me) {
  atomic_store(&wants[me], 1);
  atomic_store(&turn, 1 - me);
  while (atomic_load(&wants[1 - me]) && atomic_load(&turn) == 1 - me)
    ;
  shared++;
  atomic_store(&wants[me], 0);
}

void *first(void *arg) {
  enter(0);
  return 0;
}

void *second(void *arg) {
  enter(1);
  return 0;
}

int main(void) {
  pthread_t t, u;
  pthread_create(&t, 0, first, 0);
  pthread_create(&u, 0, second, 0);
  pthread_join(t, 0);
  pthread_join(u, 0);
  assert(shared == 2);
  return 0;
}
