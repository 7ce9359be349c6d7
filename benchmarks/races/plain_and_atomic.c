// A counter that everybody adds to atomically, and one thread looks at without: one side that is
// not atomic is enough for a race.
//
// run: --check race
// expect: all=UNSAFE

#include <pthread.h>

int hits;

void *worker(void *arg) {
  __atomic_fetch_add(&hits, 1, __ATOMIC_SEQ_CST);
  return 0;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, worker, 0);
  pthread_create(&b, 0, worker, 0);
  int so_far = hits;
  pthread_join(a, 0);
  pthread_join(b, 0);
  return so_far > 2;
}
