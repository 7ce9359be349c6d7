// `volatile` is not atomic on any model, that of the language included: accesses race with each other, with
// plain ones and with atomic ones.
//
// run: --check race -DMINE=(s=1) -DYOURS=s
// expect: all=UNSAFE rc11=UNSAFE
//
// run: --check race -DMINE=(s=1) -DYOURS=(*(int*)&s)
// expect: all=UNSAFE rc11=UNSAFE
//
// run: --check race -DMINE=__atomic_fetch_add(&s,1,__ATOMIC_SEQ_CST) -DYOURS=s
// expect: all=UNSAFE rc11=UNSAFE
//
// run: --check race -DMINE=s -DYOURS=__atomic_exchange_n(&s,1,__ATOMIC_RELAXED)
// expect: all=UNSAFE rc11=UNSAFE
//
// run: --check race -DMINE=__atomic_fetch_add(&s,1,__ATOMIC_RELAXED) -DYOURS=__atomic_load_n(&s,__ATOMIC_RELAXED)
// expect: all=SAFE rc11=SAFE
//
// run: --check race -DMINE=s -DYOURS=s
// expect: all=SAFE rc11=SAFE

#include <pthread.h>

static volatile int s;

static void *thread(void *arg) {
  (void)MINE;
  return 0;
}

int main(void) {
  pthread_t t;
  pthread_create(&t, 0, thread, 0);
  int seen = YOURS;
  pthread_join(t, 0);
  return seen;
}
