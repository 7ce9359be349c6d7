// Two threads in a row: the second joins the first, main joins the second. It goes wrong when the
// first waits for its own end (-DSELF), or for the second's (-DMUTUAL; main joins nobody then, as a
// thread is joined once).
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
sem_t created;

void *one(void *arg) {
#if defined SELF
  pthread_join(pthread_self(), 0);
#elif defined MUTUAL
  sem_wait(&created);
  pthread_join(second, 0);
#endif
  return 0;
}

void *two(void *arg) {
  pthread_join(first, 0);
  return 0;
}

int main(void) {
  sem_init(&created, 0, 0);
  pthread_create(&first, 0, one, 0);
  pthread_create(&second, 0, two, 0);
  sem_post(&created);
#ifdef MUTUAL
  pthread_exit(0);
#else
  pthread_join(second, 0);
#endif
  return 0;
}
