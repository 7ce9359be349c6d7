// A bounded buffer with two semaphores and a mutex: the consumer takes the mutex and then waits for
// an item, which the producer cannot put without the mutex. -DREPAIRED waits first.
//
// run: --check deadlock
// expect: all=UNSAFE
//
// run: --check deadlock -DREPAIRED
// expect: all=SAFE

#include <pthread.h>
#include <semaphore.h>

sem_t items, spaces;
pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
int buffer, used;

void *producer(void *arg) {
  sem_wait(&spaces);
  pthread_mutex_lock(&mutex);
  buffer = 5;
  used++;
  pthread_mutex_unlock(&mutex);
  sem_post(&items);
  return 0;
}

void *consumer(void *arg) {
#ifdef REPAIRED
  sem_wait(&items);
  pthread_mutex_lock(&mutex);
#else
  pthread_mutex_lock(&mutex);
  sem_wait(&items);
#endif
  used--;
  pthread_mutex_unlock(&mutex);
  sem_post(&spaces);
  return 0;
}

int main(void) {
  pthread_t p, c;
  sem_init(&items, 0, 0);
  sem_init(&spaces, 0, 1);
  pthread_create(&p, 0, producer, 0);
  pthread_create(&c, 0, consumer, 0);
  pthread_join(p, 0);
  pthread_join(c, 0);
  return 0;
}
