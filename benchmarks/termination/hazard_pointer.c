// A node is taken out, and who has taken it waits until no reader has it in its hazard pointer (Michael, IEEE TPDS 2004).
// -DKEEPS leaves the hazard pointer set.
//
// run: --check termination,memory
// expect: sc,tso,pso,power,aarch64,riscv,rc11=SAFE
//
// run: --check termination -DKEEPS
// expect: sc,tso,pso,power,aarch64,riscv,rc11=UNSAFE

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

_Atomic(int *) head, hazard;

void *read_it(void *arg) {
  int *node = head;
  for (;;) {
    hazard = node;
    int *again = head;
    if (again == node)
      break;
    node = again;
  }
  int seen = node ? *node : 0;
#ifndef KEEPS
  hazard = NULL;
#endif
  return seen ? arg : 0;
}

void *take(void *arg) {
  int *node = atomic_exchange(&head, NULL);
  while (hazard == node) {
  }
  free(node);
  return arg;
}

int main(void) {
  pthread_t t, u;
  int *node = malloc(sizeof *node);
  *node = 1;
  head = node;
  pthread_create(&t, 0, read_it, 0);
  pthread_create(&u, 0, take, 0);
  pthread_join(t, 0);
  pthread_join(u, 0);
  return 0;
}
