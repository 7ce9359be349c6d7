// Two resources behind semaphores, taken in opposite orders. -DREPAIRED takes them in one order.
//
// run: --check deadlock
// expect: all=UNSAFE
//
// run: --check deadlock -DREPAIRED
// expect: all=SAFE

#include <pthread.h>
#include <semaphore.h>

sem_t printer, scanner;

static void copy(sem_t *first, sem_t *second) {
  sem_wait(first);
  sem_wait(second);
  sem_post(second);
  sem_post(first);
}

void *other(void *arg) {
#ifdef REPAIRED
  copy(&printer, &scanner);
#else
  copy(&scanner, &printer);
#endif
  return 0;
}

int main(void) {
  pthread_t t;
  sem_init(&printer, 0, 1);
  sem_init(&scanner, 0, 1);
  pthread_create(&t, 0, other, 0);
  copy(&printer, &scanner);
  pthread_join(t, 0);
  return 0;
}
