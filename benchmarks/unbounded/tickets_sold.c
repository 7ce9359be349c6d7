// Any number of sellers sell at most as many tickets as there are, by compare-exchange.
// -DADD sells by an addition, and looks before.
//
// run: --check assert,race,misuse
// expect: sc=SAFE tso=SAFE pso=SAFE rc11=SAFE aarch64=SAFE riscv=SAFE power=SAFE
//
// run: --check assert --unwind 2 -DADD -DTICKETS=1
// expect: sc=UNSAFE tso=UNSAFE rc11=UNSAFE aarch64=UNSAFE

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

extern int __VERIFIER_nondet_int(void);

#ifndef TICKETS
#define TICKETS 100
#endif

atomic_int sold;

int sell(void) {
  int now = atomic_load(&sold);
#ifdef ADD
  if (now >= TICKETS) return 0;
  atomic_fetch_add(&sold, 1);
  return 1;
#else
  while (now < TICKETS)
    if (atomic_compare_exchange_weak(&sold, &now, now + 1)) return 1;
  return 0;
#endif
}

void *seller(void *arg) {
  while (__VERIFIER_nondet_int()) sell();
  assert(sold <= TICKETS);
  return 0;
}

int main(void) {
  pthread_t t;
  for (;;) pthread_create(&t, 0, seller, 0);
}
