// Lamport's bakery for two threads. -DKEEPS does not give the number back: the other thread waits for its turn forever.
//
// run: --check termination
// expect: sc,tso,pso,power,aarch64,riscv,rc11=SAFE
//
// run: --check termination -DKEEPS
// expect: sc,tso,pso,power,aarch64,riscv,rc11=UNSAFE

#include <pthread.h>
#include <stdatomic.h>

atomic_int choosing[2], number[2];

static void enter(int me) {
  int other = 1 - me;
  choosing[me] = 1;
  number[me] = number[other] + 1;
  choosing[me] = 0;
  while (choosing[other]) {
  }
  for (;;) {
    int theirs = number[other], mine = number[me];
    if (theirs == 0 || theirs > mine || (theirs == mine && other > me))
      return;
  }
}

static void leave(int me) {
#ifdef KEEPS
  if (me == 0)
    return;
#endif
  number[me] = 0;
}

void *first(void *arg) {
  enter(0);
  leave(0);
  return 0;
}

void *second(void *arg) {
  enter(1);
  leave(1);
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
