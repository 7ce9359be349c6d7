// Peterson's algorithm with sequentially consistent atomics. -DBROKEN: with relaxed ones.
//
// run: --check assert,memory,race
// expect: sc,tso,power,aarch64,riscv,rc11=SAFE
//
// run: -DBROKEN
// expect: sc=SAFE tso,power,aarch64,riscv,rc11=UNSAFE

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifdef BROKEN
#define ORDER memory_order_relaxed
#else
#define ORDER memory_order_seq_cst
#endif
#define SET(x, v) atomic_store_explicit(&(x), v, ORDER)
#define GET(x) atomic_load_explicit(&(x), ORDER)

atomic_int wants[2], turn;
int inside;

void section(int me) {
  SET(wants[me], 1);
  SET(turn, 1 - me);
  while (GET(wants[1 - me]) && GET(turn) == 1 - me)
    ;
  inside++;
  assert(inside == 1);
  inside--;
  SET(wants[me], 0);
}

void *other(void *arg) {
  section(1);
  return 0;
}

int main(void) {
  pthread_t t;
  pthread_create(&t, 0, other, 0);
  section(0);
  return 0;
}
