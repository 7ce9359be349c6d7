// The sleeping barber: customers leave when the chairs are taken. The barber serves who has sat down.
// -DBROKEN sits down without the mutex.
//
// run:
// expect: sc,tso,power,aarch64,riscv,rc11=SAFE
//
// run: -DBROKEN
// expect: sc,tso,power,aarch64,riscv,rc11=UNSAFE

#include <assert.h>
#include <pthread.h>
#include <semaphore.h>

#define CHAIRS 1
#define CUSTOMERS 2

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
sem_t customers, barber;
int waiting;

void *customer(void *arg) {
#ifndef BROKEN
  pthread_mutex_lock(&mutex);
#endif
  int stays = waiting < CHAIRS;
  if (stays) {
    waiting++;
    assert(waiting <= CHAIRS);
    sem_post(&customers);
  }
#ifndef BROKEN
  pthread_mutex_unlock(&mutex);
#endif
  if (stays) sem_wait(&barber);
  return 0;
}

void *cut(void *arg) {
  sem_wait(&customers);
  pthread_mutex_lock(&mutex);
  waiting--;
  assert(waiting >= 0);
  sem_post(&barber);
  pthread_mutex_unlock(&mutex);
  return 0;
}

int main(void) {
  pthread_t t[CUSTOMERS], b;
  sem_init(&customers, 0, 0);
  sem_init(&barber, 0, 0);
  pthread_create(&b, 0, cut, 0);
  for (int i = 0; i < CUSTOMERS; i++) pthread_create(&t[i], 0, customer, 0);
  for (int i = 0; i < CUSTOMERS; i++) pthread_join(t[i], 0);
  return 0;
}
