// Loops and recursion that end by themselves after a known number of rounds are followed to their
// end, whatever the bound, also where executions may leave them earlier.
//
// run: --unwind 1 -DUP
// expect: all=SAFE
//
// run: --unwind 1 -DBREAK
// expect: all=SAFE
//
// run: --unwind 1 -DBREAK -DLAST
// expect: all=UNSAFE
//
// run: --unwind 1 -DDOWN
// expect: all=SAFE
//
// run: --unwind 1 -DNESTED
// expect: all=SAFE
//
// run: --unwind 1 -DPARAMETER
// expect: all=SAFE
//
// run: --unwind 1 -DMEMORY
// expect: all=SAFE
//
// run: --unwind 1 -DCONTINUE
// expect: all=SAFE
//
// run: --unwind 1 -DLOCKING
// expect: all=SAFE
//
// run: --unwind 1 -DTHREADS
// expect: all=SAFE
//
// run: --unwind 1 -DRECURSION
// expect: all=SAFE
//
// run: --unwind 1 -DCHAIN
// expect: all=SAFE

#include <assert.h>
#include <pthread.h>

int x, rounds;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

void *writer(void *unused) {
  x = 1;
  return 0;
}

void *adder(void *unused) {
  pthread_mutex_lock(&m);
  rounds++;
  pthread_mutex_unlock(&m);
  return 0;
}

void some(int n) {
  for (int i = 0; i < n; i++) {
    if (x)
      break;
    rounds++;
  }
}

void advance(int *i) { *i += 2; }

int down_to(int n) {
  if (n == 0 || x)
    return 0;
  rounds++;
  return down_to(n - 1);
}

void *chain(void *arg) {
  long n = (long)arg;
  pthread_t next;
  if (n > 0 && !x) {
    pthread_create(&next, 0, chain, (void *)(n - 1));
    pthread_join(next, 0);
  }
  return 0;
}

int main(void) {
  pthread_t t;
  pthread_create(&t, 0, writer, 0);
#ifdef UP
  for (int i = 0; i < 10; i++)
    rounds++;
  assert(rounds == 10);
#endif
#ifdef BREAK
  for (int i = 0; i < 10; i++) {
    if (x)
      break;
    rounds++;
  }
#endif
#ifdef LAST
  assert(rounds < 10);
#endif
#ifdef DOWN
  int n = 9;
  while (n > 0) {
    if (x)
      break;
    n -= 3;
    rounds++;
  }
#endif
#ifdef NESTED
  for (int i = 0; i < 3; i++)
    for (int j = i; j < 3; j++) {
      if (x)
        break;
      rounds++;
    }
#endif
#ifdef PARAMETER
  some(3);
  some(7);
#endif
#ifdef MEMORY
  int i = 0;
  while (i < 8) {
    if (x)
      break;
    advance(&i);
    rounds++;
  }
#endif
#ifdef CONTINUE
  for (int i = 0; i < 6; i++) {
    if (x)
      continue;
    rounds++;
  }
#endif
#ifdef LOCKING
  pthread_t u;
  pthread_create(&u, 0, adder, 0);
  for (int i = 0; i < 3; i++) {
    pthread_mutex_lock(&m);
    rounds++;
    pthread_mutex_unlock(&m);
  }
  pthread_join(u, 0);
  assert(rounds == 4);
#endif
#ifdef THREADS
  pthread_t u[3];
  for (int i = 0; i < 3; i++)
    pthread_create(&u[i], 0, adder, 0);
  for (int i = 0; i < 3; i++)
    pthread_join(u[i], 0);
  assert(rounds == 3);
#endif
#ifdef RECURSION
  down_to(7);
#endif
#ifdef CHAIN
  pthread_t first;
  pthread_create(&first, 0, chain, (void *)3);
  pthread_join(first, 0);
#endif
  assert(rounds <= 10);
  pthread_join(t, 0);
  return 0;
}
