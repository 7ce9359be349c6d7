// Loops whose end is for executions to say are cut at the bound, and the cut is named.
//
// run: --unwind 2 --check assert,memory -DVALUE --engine sat
// expect: all=BOUND
//
// run: --unwind 2 -DVALUE -DFOUR
// expect: all=BOUND
//
// run: --unwind 7 -DVALUE -DFOUR
// expect: all=UNSAFE
//
// run: --unwind 2 --check assert,memory -DSTUCK --engine sat
// expect: all=BOUND
//
// run: --unwind 2 --check assert,memory -DOVER --engine sat
// expect: all=BOUND
//
// run: --unwind 2 --check assert,memory -DRECURSION
// expect: all=BOUND
//
// run: --unwind 2 --check assert,memory -DCHAIN
// expect: all=BOUND
//
// run: --unwind 2 --check assert,memory -DLONG --engine sat
// expect: all=BOUND

#include <assert.h>
#include <pthread.h>

int x, rounds;

void *writer(void *unused) {
  x = 1;
  x = 7;
  return 0;
}

int down_to(int n) {
  if (n <= 0)
    return 0;
  rounds++;
  return down_to(n - 1);
}

void *chain(void *unused) {
  pthread_t next;
  if (x == 7)
    pthread_create(&next, 0, chain, 0);
  return 0;
}

int main(void) {
  pthread_t t;
  pthread_create(&t, 0, writer, 0);
  int n = x;
#ifdef VALUE
  for (int i = 0; i < n; i++)
    rounds++;
#endif
#ifdef STUCK
  for (int i = 0; i < 3;) {
    if (x == 7)
      i++;
    rounds++;
  }
#endif
#ifdef OVER
  for (int i = 0; i != 7; i += 2) {
    if (x)
      break;
    rounds = 1 - rounds;
  }
#endif
#ifdef RECURSION
  down_to(n);
#endif
#ifdef LONG
  for (int i = 0; i < 1000; i++) {
    if (x)
      break;
    rounds = 1 - rounds;
  }
#endif
#ifdef CHAIN
  pthread_t first;
  pthread_create(&first, 0, chain, 0);
#endif
#ifdef FOUR
  assert(rounds < 4);
#endif
  pthread_join(t, 0);
  return 0;
}
