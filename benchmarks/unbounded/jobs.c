// Jobs on the heap, made ready before their thread is started and freed behind its end; how many there are is an
// input. -DLATE writes to the job when its thread runs, -DKEPT reads the job of the thread before.
//
// run: --check race
// expect: sc=SAFE tso=SAFE pso=SAFE rc11=SAFE aarch64=SAFE riscv=SAFE power=SAFE
//
// run: --check race -DLATE --unwind 2
// expect: sc=UNSAFE tso=UNSAFE rc11=UNSAFE
//
// run: --check race -DKEPT --unwind 3
// expect: sc=UNSAFE tso=UNSAFE rc11=UNSAFE

#include <pthread.h>
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

struct job {
  int number, result;
};

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int total;
static _Thread_local int steps;

void *run(void *arg) {
  struct job *job = arg;
  for (steps = 0; steps < job->number; steps++) job->result += steps;
  pthread_mutex_lock(&lock);
  total += job->result;
  pthread_mutex_unlock(&lock);
  free(job);
  return 0;
}

int main(void) {
  int n = __VERIFIER_nondet_int();
  struct job *before = 0;
  for (int i = 0; i < n; i++) {
    struct job *job = malloc(sizeof *job);
    if (!job) return 1;
    job->number = i;
    job->result = 0;
#ifdef KEPT
    if (before) job->result = before->result;
#endif
    pthread_t t;
    pthread_create(&t, 0, run, job);
#ifdef LATE
    job->result = 1;
#endif
    pthread_detach(t);
    before = job;
  }
  (void)before;
  return 0;
}
