// A barrier that is used twice, each time with another sense. -DNO_SENSE counts up and waits for the number of threads:
// who is fast begins the second round before a slow one has seen the end of the first, and that one waits forever.
//
// run: --check termination
// expect: sc,tso,pso,power,aarch64,riscv,rc11=SAFE
//
// run: --check termination -DNO_SENSE
// expect: sc,tso,pso,power,aarch64,riscv,rc11=UNSAFE

#include <pthread.h>
#include <stdatomic.h>

#define THREADS 2

atomic_int arrived, sense;

static void meet(int round) {
#ifdef NO_SENSE
  if (atomic_fetch_add(&arrived, 1) == THREADS - 1)
    arrived = 0;
  else
    while (arrived != 0) {
    }
#else
  if (atomic_fetch_add(&arrived, 1) == THREADS - 1) {
    arrived = 0;
    sense = round;
  } else
    while (sense != round) {
    }
#endif
}

void *run(void *arg) {
  meet(1);
  meet(2);
  return 0;
}

int main(void) {
  pthread_t t, u;
  pthread_create(&t, 0, run, 0);
  pthread_create(&u, 0, run, 0);
  pthread_join(t, 0);
  pthread_join(u, 0);
  return 0;
}
