// Threads that never end: their loops have no bound, and none matters where nothing in the text of the
// program can be violated. Each of the other variants adds one thing that can.
//
// run: --check assert,memory,misuse,race
// expect: all=SAFE
//
// run: -DPLAIN --check assert,memory,misuse,race
// expect: all=UNSAFE
//
// run: -DOWN --check assert,memory,misuse,race
// expect: all=SAFE
//
// run: -DINDEX --check assert,memory,misuse,race
// expect: all=UNSAFE
//
// run: -DASSERTION --check assert,memory,misuse,race
// expect: all=UNSAFE
//
// run: -DCONSTANT --check assert,memory,misuse,race
// expect: all=UNSAFE
//
// run: -DPOINTER --check assert,memory,misuse,race
// expect: all=UNSAFE

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

atomic_int x, y[2];
int plain[2];
const int fixed = 1;
int *pointer;

void *first(void *arg) {
  while (1) {
    atomic_fetch_add_explicit(&x, 1, memory_order_relaxed);
    atomic_fetch_sub_explicit(&x, 1, memory_order_relaxed);
    atomic_store_explicit(&y[1], 1, memory_order_relaxed);
#if defined PLAIN || defined OWN
    plain[0]++;
#elif defined INDEX
    atomic_store_explicit(&y[x + 1], 1, memory_order_relaxed);
#elif defined ASSERTION
    assert(x < 2);
#elif defined CONSTANT
    *(int *)&fixed = 2;
#elif defined POINTER
    *pointer = 1;
#endif
  }
  return 0;
}

void *second(void *arg) {
  while (1) {
    atomic_fetch_add_explicit(&x, 1, memory_order_relaxed);
#ifdef PLAIN
    plain[0]++;
#elif defined OWN
    plain[1]++;
#endif
  }
  return 0;
}

int main(void) {
  pthread_t t, u;
  pthread_create(&t, 0, first, 0);
  pthread_create(&u, 0, second, 0);
  return 0;
}
