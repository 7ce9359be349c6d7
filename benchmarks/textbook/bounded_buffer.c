// A bounded buffer of two places with two producers and two consumers. -DBROKEN looks once whether
// there is an item.
//
// run:
// expect: sc,tso,power,aarch64,riscv,rc11=SAFE
//
// run: -DBROKEN
// expect: sc,tso,power,aarch64,riscv,rc11=UNSAFE

#include <assert.h>
#include <pthread.h>

#define PLACES 2

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t not_full = PTHREAD_COND_INITIALIZER, not_empty = PTHREAD_COND_INITIALIZER;
int buffer[PLACES], count, sum;

void *producer(void *arg) {
  pthread_mutex_lock(&mutex);
  while (count == PLACES) pthread_cond_wait(&not_full, &mutex);
  buffer[count++] = (int)(long)arg;
  pthread_cond_broadcast(&not_empty);
  pthread_mutex_unlock(&mutex);
  return 0;
}

void *consumer(void *arg) {
  pthread_mutex_lock(&mutex);
#ifdef BROKEN
  if (count == 0) pthread_cond_wait(&not_empty, &mutex);
#else
  while (count == 0) pthread_cond_wait(&not_empty, &mutex);
#endif
  assert(count > 0);
  if (count > 0) sum += buffer[--count];
  pthread_cond_signal(&not_full);
  pthread_mutex_unlock(&mutex);
  return 0;
}

int main(void) {
  pthread_t p[2], c[2];
  for (long i = 0; i < 2; i++) {
    pthread_create(&p[i], 0, producer, (void *)(i + 1));
    pthread_create(&c[i], 0, consumer, 0);
  }
  for (int i = 0; i < 2; i++) pthread_join(c[i], 0);
  assert(sum == 3);
  return 0;
}
