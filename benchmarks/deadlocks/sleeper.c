// A worker says that it will sleep, looks for a job once more, and sleeps; whoever posts a job wakes
// it if it said so. That is store buffering: with relaxed flags each side misses the other's, and
// the worker sleeps for ever on every machine but one that interleaves. -DSTRONG flags are seq_cst.
//
// run: --check deadlock
// expect: sc=SAFE tso,pso,rmo,alpha,power2010,power=UNSAFE
//
// run: --check deadlock -DSTRONG
// expect: all=SAFE

#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>

#ifdef STRONG
#define ORDER memory_order_seq_cst
#else
#define ORDER memory_order_relaxed
#endif

atomic_int sleeping, job;
sem_t wake;

void *worker(void *arg) {
  atomic_store_explicit(&sleeping, 1, ORDER);
  if (!atomic_load_explicit(&job, ORDER)) {
    sem_wait(&wake);
  }
  return 0;
}

int main(void) {
  pthread_t t;
  sem_init(&wake, 0, 0);
  pthread_create(&t, 0, worker, 0);
  atomic_store_explicit(&job, 1, ORDER);
  if (atomic_load_explicit(&sleeping, ORDER)) {
    sem_post(&wake);
  }
  pthread_join(t, 0);
  return 0;
}
