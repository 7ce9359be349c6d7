// Loops that end by themselves, with a limit for all loops: iterations that access nothing shared do not
// count.
//
// run: -DBAD=15
// expect: all=UNSAFE
//
// run: -DBAD=15 --limit-loops 10
// expect: all=BOUND
//
// run: -DBAD=15 --limit-loops 16
// expect: all=UNSAFE
//
// run: -DBAD=21 --limit-loops 3
// expect: all=BOUND
//
// run: -DBAD=5 --limit-loops 3 --unwindset writer.0:9
// expect: all=UNSAFE
//
// run: -DBAD=21
// expect: all=SAFE

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

atomic_int x;

void *writer(void *arg) {
  for (int i = 1; i <= 20; i++) atomic_store(&x, i);
  return 0;
}

int main(void) {
  pthread_t t;
  int scratch[40];
  for (int i = 0; i < 40; i++) scratch[i] = i;
  pthread_create(&t, 0, writer, 0);
  assert(atomic_load(&x) < BAD + scratch[0]);
  pthread_join(t, 0);
}
