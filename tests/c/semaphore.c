// A semaphore hands data over; sem_trywait and sem_timedwait may find nothing.
//
// expect: all=SAFE
//
// run: -DTRY
// expect: all=SAFE
//
// run: -DTIMED
// expect: all=SAFE
//
// run: -DUNCHECKED
// expect: all=UNSAFE

#include <assert.h>
#include <pthread.h>
#include <semaphore.h>

sem_t s;
int data;

void *producer(void *arg) {
  data = 1;
  sem_post(&s);
  return 0;
}

int main(void) {
  pthread_t t;
  struct timespec limit = {0, 1000};
  sem_init(&s, 0, 0);
  pthread_create(&t, 0, producer, 0);
#if defined TRY
  if (sem_trywait(&s) == 0) assert(data == 1);
#elif defined TIMED
  if (sem_timedwait(&s, &limit) == 0) assert(data == 1);
#elif defined UNCHECKED
  sem_trywait(&s);
  assert(data == 1);
#else
  sem_wait(&s);
  assert(data == 1);
#endif
  return 0;
}
