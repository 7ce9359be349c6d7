// Lamport's bakery for two. Every order is seq_cst.

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

int shared;
atomic_int choosing[2], number[2];

void enter(int me) {
  int other = 1 - me;
  atomic_store(&choosing[me], 1);
  int mine = atomic_load(&number[other]) + 1;
  atomic_store(&number[me], mine);
  atomic_store(&choosing[me], 0);
  while (atomic_load(&choosing[other]))
    ;
  int theirs;
  while ((theirs = atomic_load(&number[other])) && (theirs < mine || (theirs == mine && other < me)))
    ;
  shared++;
  atomic_store(&number[me], 0);
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
