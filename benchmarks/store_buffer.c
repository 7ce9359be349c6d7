// Store buffering, the outcome that made weak memory famous: each thread raises its own flag and
// looks at the other's, and both find it down.
//
// run:
// expect: sc=SAFE tso,pso,rmo,alpha,power2010,power=UNSAFE
//
// run: -DFENCED
// expect: all=SAFE

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifdef FENCED
#define FENCE atomic_thread_fence(memory_order_seq_cst)
#else
#define FENCE
#endif

int x, y;
int seen_by_first, seen_by_second;

void *first(void *arg) {
  x = 1;
  FENCE;
  seen_by_first = y;
  return 0;
}

void *second(void *arg) {
  y = 1;
  FENCE;
  seen_by_second = x;
  return 0;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, first, 0);
  pthread_create(&b, 0, second, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  assert(seen_by_first == 1 || seen_by_second == 1);
  return 0;
}
