// Producer and consumer over a ring of five with two semaphores, ten items. -DBROKEN has one place
// too many.
//
// run:
// expect: sc,tso,power,aarch64,riscv,rc11=SAFE
//
// run: -DBROKEN
// expect: sc,tso,power,aarch64,riscv,rc11=UNSAFE

#include <assert.h>
#include <pthread.h>
#include <semaphore.h>

#define PLACES 5
#ifndef ITEMS
#define ITEMS 10
#endif

int ring[PLACES];
sem_t empty, full;

void *producer(void *arg) {
  for (int i = 0; i < ITEMS; i++) {
    sem_wait(&empty);
    ring[i % PLACES] = i;
    sem_post(&full);
  }
  return 0;
}

int main(void) {
  pthread_t t;
#ifdef BROKEN
  sem_init(&empty, 0, PLACES + 1);
#else
  sem_init(&empty, 0, PLACES);
#endif
  sem_init(&full, 0, 0);
  pthread_create(&t, 0, producer, 0);
  for (int i = 0; i < ITEMS; i++) {
    sem_wait(&full);
    assert(ring[i % PLACES] == i);
    sem_post(&empty);
  }
  pthread_join(t, 0);
  return 0;
}
