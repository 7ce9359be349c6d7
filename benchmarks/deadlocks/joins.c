// Threads that wait for each other's end (-DMUTUAL), or for their own (-DSELF).
//
// run: --check deadlock -DSELF
// expect: all=UNSAFE
//
// run: --check deadlock -DMUTUAL
// expect: all=UNSAFE
//
// run: --check deadlock
// expect: all=SAFE

#include <pthread.h>
#include <semaphore.h>

pthread_t first, second;
sem_t known;

void *one(void *arg) {
#if defined SELF
  pthread_join(pthread_self(), 0);
#elif defined MUTUAL
  sem_wait(&known);
  pthread_join(second, 0);
#endif
  return 0;
}

void *two(void *arg) {
  sem_wait(&known);
  pthread_join(first, 0);
  return 0;
}

int main(void) {
  sem_init(&known, 0, 0);
  pthread_create(&first, 0, one, 0);
  pthread_create(&second, 0, two, 0);
  sem_post(&known);
  sem_post(&known);
  return 0;
}
