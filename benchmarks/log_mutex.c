// A log under a mutex: each thread appends its number to it, in base 4. The order of entries is that of the
// critical sections, and however that is, no entry is lost.
//
// run:
// expect: all=SAFE
//
// One thread appends without the mutex.
// run: -DBROKEN
// expect: all=UNSAFE

#include <assert.h>
#include <pthread.h>

#ifndef THREADS
#define THREADS 3
#endif
#ifndef ROUNDS
#define ROUNDS 2
#endif

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
unsigned entries;

void *append(void *arg) {
  unsigned number = (unsigned)(long)arg;
  for (int i = 0; i < ROUNDS; i++) {
#ifdef BROKEN
    if (number == 0) {
      entries = entries * 4 + number;
      continue;
    }
#endif
    pthread_mutex_lock(&mutex);
    entries = entries * 4 + number;
    pthread_mutex_unlock(&mutex);
  }
  return 0;
}

int main(void) {
  pthread_t thread[THREADS];
  int count[4] = { 0 };
  for (long i = 0; i < THREADS; i++) pthread_create(&thread[i], 0, append, (void *)i);
  for (int i = 0; i < THREADS; i++) pthread_join(thread[i], 0);
  unsigned rest = entries;
  for (int i = 0; i < THREADS * ROUNDS; i++) {
    count[rest % 4]++;
    rest /= 4;
  }
  for (int i = 1; i < THREADS; i++) assert(count[i] == ROUNDS);
}
