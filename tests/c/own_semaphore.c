// A program that has the functions of a type of POSIX keeps its own members of the type.
//
// expect: all=SAFE
//
// run: -DTOO_EARLY
// expect: all=UNSAFE

#include <assert.h>
#include <pthread.h>

typedef struct { volatile int __val[8]; } sem_t;
int sem_init(sem_t *s, int shared, unsigned value) {
  __atomic_store_n(&s->__val[0], (int)value, __ATOMIC_SEQ_CST);
  s->__val[1] = 0;
  s->__val[2] = shared ? 0 : 128;
  return 0;
}
int sem_wait(sem_t *s) {
  int value = __atomic_load_n(&s->__val[0], __ATOMIC_SEQ_CST);
  while (value == 0 || !__atomic_compare_exchange_n(&s->__val[0], &value, value - 1, 0, __ATOMIC_SEQ_CST,
                                                    __ATOMIC_SEQ_CST))
    value = __atomic_load_n(&s->__val[0], __ATOMIC_SEQ_CST);
  return 0;
}
int sem_post(sem_t *s) {
  __atomic_fetch_add(&s->__val[0], 1, __ATOMIC_SEQ_CST);
  return 0;
}

sem_t semaphore;
int data;

void *poster(void *unused) {
#ifndef TOO_EARLY
  data = 1;
#endif
  sem_post(&semaphore);
#ifdef TOO_EARLY
  data = 1;
#endif
  return unused;
}

int main(void) {
  pthread_t thread;
  sem_init(&semaphore, 0, 0);
  pthread_create(&thread, 0, poster, 0);
  sem_wait(&semaphore);
  assert(data == 1);
  pthread_join(thread, 0);
  return 0;
}
