// A thread pool: two workers and four jobs. -DBROKEN takes a job in two critical sections.
//
// run:
// expect: sc,tso,power,aarch64,riscv,rc11=SAFE
//
// run: -DBROKEN
// expect: sc,tso,power,aarch64,riscv,rc11=UNSAFE

#include <assert.h>
#include <pthread.h>

#define JOBS 4

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
int next, done[JOBS];

int take(void) {
  pthread_mutex_lock(&mutex);
  int job = next;
#ifdef BROKEN
  pthread_mutex_unlock(&mutex);
  pthread_mutex_lock(&mutex);
#endif
  if (job < JOBS) next = job + 1;
  pthread_mutex_unlock(&mutex);
  return job;
}

void *worker(void *arg) {
  for (int i = 0; i <= JOBS; i++) {
    int job = take();
    if (job >= JOBS) break;
    done[job]++;
  }
  return 0;
}

int main(void) {
  pthread_t t[2];
  for (int i = 0; i < 2; i++) pthread_create(&t[i], 0, worker, 0);
  for (int i = 0; i < 2; i++) pthread_join(t[i], 0);
  for (int i = 0; i < JOBS; i++) assert(done[i] == 1);
  return 0;
}
