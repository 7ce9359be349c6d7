// A counter that threads increase under a mutex, several times each.
// No model lets an increment be lost, and main sees all of them when it has joined the threads.
//
// run: --unwind 4
// expect: all=SAFE
//
// run: -DSUM=8 --unwind 4
// expect: all=UNSAFE
//
// run: -DTHREADS=4 --unwind 5
// expect: all=SAFE
//
// run: -DTHREADS=5 -DROUNDS=2 --unwind 6
// expect: all=SAFE

#include <assert.h>
#include <pthread.h>

#ifndef THREADS
#define THREADS 3
#endif
#ifndef ROUNDS
#define ROUNDS 3
#endif
#ifndef SUM
#define SUM (THREADS * ROUNDS)
#endif

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int counter;

void *work(void *arg) {
  for (int k = 0; k < ROUNDS; k++) {
    pthread_mutex_lock(&lock);
    counter = counter + 1;
    pthread_mutex_unlock(&lock);
  }
  return 0;
}

int main(void) {
  pthread_t t[THREADS];
  for (int k = 0; k < THREADS; k++) pthread_create(&t[k], 0, work, 0);
  for (int k = 0; k < THREADS; k++) pthread_join(t[k], 0);
  assert(counter == SUM);
  return 0;
}
