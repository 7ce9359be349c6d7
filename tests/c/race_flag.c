// A message behind a flag: whether its two accesses race is a question of the flag's orders, not
// of the machine.
//
// run: --check race -DPLAIN
// expect: all=UNSAFE
//
// run: --check race -DVOLATILE
// expect: all=UNSAFE
//
// run: --check race -DST=relaxed -DLD=relaxed
// expect: all=UNSAFE
//
// run: --check race -DST=release -DLD=relaxed
// expect: all=UNSAFE
//
// run: --check race -DST=release -DLD=acquire
// expect: all=SAFE
//
// run: --check race -DST=seq_cst -DLD=seq_cst
// expect: all=SAFE
//
// run: --check race -DST=release -DLD=acquire -DSPIN
// expect: all=SAFE
//
// run: --check race -DPLAIN -DSPIN
// expect: all=UNSAFE
//
// run: --check race -DST=relaxed -DLD=relaxed -DF1=c11rel -DF2=c11acq
// expect: all=SAFE
//
// run: --check race -DST=relaxed -DLD=relaxed -DF1=c11rel
// expect: all=UNSAFE
//
// run: --check race -DST=relaxed -DLD=relaxed -DF1=c11sc -DF2=c11sc -DSPIN
// expect: all=SAFE

#include "fences.h"
#include <pthread.h>

#define ORDER_(o) memory_order_##o
#define ORDER(o) ORDER_(o)

int message;
#if defined(PLAIN)
int flag;
#define RAISE flag = 1
#define UP flag
#elif defined(VOLATILE)
volatile int flag;
#define RAISE flag = 1
#define UP flag
#else
atomic_int flag;
#define RAISE atomic_store_explicit(&flag, 1, ORDER(ST))
#define UP atomic_load_explicit(&flag, ORDER(LD))
#endif

void *sender(void *arg) {
  message = 1;
  FENCE(F1);
  RAISE;
  return 0;
}

void *receiver(void *arg) {
#ifdef SPIN
  while (!UP)
    ;
#else
  if (!UP)
    return 0;
#endif
  FENCE(F2);
  message = 2;
  return 0;
}

int main(void) {
  pthread_t s, r;
  pthread_create(&s, 0, sender, 0);
  pthread_create(&r, 0, receiver, 0);
  pthread_join(s, 0);
  pthread_join(r, 0);
  return message;
}
