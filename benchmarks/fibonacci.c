// Fibonacci: two threads add each other's number to their own, N times, without any lock.
// The largest number any interleaving reaches is the (2N+2)th Fibonacci number, and no memory
// model reaches more, because every sum still depends on the values it was made of.
// After SV-COMP's fib_bench (the paper's Table 1); the bound is exact.
//
// run: -DN=5 -DBOUND=144 --unwind 6
// expect: all=SAFE
//
// run: -DN=5 -DBOUND=143 --unwind 6
// expect: all=UNSAFE
//
// run: -DN=6 -DBOUND=377 --unwind 7
// expect: all=SAFE
//
// run: -DN=6 -DBOUND=376 --unwind 7
// expect: all=UNSAFE

#include <assert.h>
#include <pthread.h>

#ifndef N
#define N 5
#endif
#ifndef BOUND
#define BOUND 144
#endif

int i = 1, j = 1;

void *first(void *arg) {
  for (int k = 0; k < N; k++) {
    i += j;
  }
  return 0;
}

void *second(void *arg) {
  for (int k = 0; k < N; k++) {
    j += i;
  }
  return 0;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, first, 0);
  pthread_create(&b, 0, second, 0);
  int seen_i = i;
  int seen_j = j;
  assert(seen_i <= BOUND && seen_j <= BOUND);
  return 0;
}
