// A barrier for three, and a thread that leaves before it when it has no work. -DREPAIRED waits for
// the others nevertheless.
//
// run: --check deadlock --unwind 2
// expect: all=UNSAFE
//
// run: --check deadlock --unwind 2 -DREPAIRED
// expect: all=SAFE

#include <pthread.h>

pthread_barrier_t barrier;
int work[3] = {1, 0, 1};

void *worker(void *arg) {
  int *mine = arg;
#ifndef REPAIRED
  if (!*mine) {
    return 0;
  }
#endif
  (*mine)++;
  pthread_barrier_wait(&barrier);
  return 0;
}

int main(void) {
  pthread_t t[2];
  pthread_barrier_init(&barrier, 0, 3);
  for (int i = 0; i < 2; i++) {
    pthread_create(&t[i], 0, worker, &work[i + 1]);
  }
  worker(&work[0]);
  for (int i = 0; i < 2; i++) {
    pthread_join(t[i], 0);
  }
  return 0;
}
