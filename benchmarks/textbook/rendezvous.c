// A rendezvous with two semaphores: each thread goes on when the other one has come. -DBROKEN: both
// wait before they say that they are there.
//
// run: --check assert,memory,race,deadlock
// expect: sc,tso,power,aarch64,riscv,rc11=SAFE
//
// run: --check deadlock -DBROKEN
// expect: sc,tso,power,aarch64,riscv,rc11=UNSAFE

#include <assert.h>
#include <pthread.h>
#include <semaphore.h>

sem_t here[2];
int came[2];

void meet(int me) {
  came[me] = 1;
#ifdef BROKEN
  sem_wait(&here[1 - me]);
  sem_post(&here[me]);
#else
  sem_post(&here[me]);
  sem_wait(&here[1 - me]);
#endif
  assert(came[1 - me]);
}

void *other(void *arg) {
  meet(1);
  return 0;
}

int main(void) {
  pthread_t t;
  sem_init(&here[0], 0, 0);
  sem_init(&here[1], 0, 0);
  pthread_create(&t, 0, other, 0);
  meet(0);
  pthread_join(t, 0);
  return 0;
}
