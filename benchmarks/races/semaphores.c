// Two semaphores hand one slot to and fro.
//
// run: --check race --unwind 2
// expect: all=SAFE

#include <pthread.h>
#include <semaphore.h>

sem_t empty, full;
int slot;

void *producer(void *arg) {
  for (int i = 1; i <= 2; i++) {
    sem_wait(&empty);
    slot = i;
    sem_post(&full);
  }
  return 0;
}

int main(void) {
  pthread_t t;
  int sum = 0;
  sem_init(&empty, 0, 1);
  sem_init(&full, 0, 0);
  pthread_create(&t, 0, producer, 0);
  for (int i = 1; i <= 2; i++) {
    sem_wait(&full);
    sum += slot;
    slot = 0;
    sem_post(&empty);
  }
  pthread_join(t, 0);
  return sum != 3;
}
