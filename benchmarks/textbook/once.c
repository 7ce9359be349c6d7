// pthread_once: the routine has run, and once, when the call returns. -DBROKEN does without.
//
// run: --check assert,memory,race
// expect: sc,tso,power,aarch64,riscv,rc11=SAFE
//
// run: -DBROKEN
// expect: sc,tso,power,aarch64,riscv,rc11=UNSAFE

#include <assert.h>
#include <pthread.h>

pthread_once_t control = PTHREAD_ONCE_INIT;
int begun, times;

void init(void) { times++; }

void *user(void *arg) {
#ifdef BROKEN
  if (!begun) {
    begun = 1;
    init();
  }
#else
  pthread_once(&control, init);
#endif
  assert(times == 1);
  return 0;
}

int main(void) {
  pthread_t t;
  pthread_create(&t, 0, user, 0);
  user(0);
  pthread_join(t, 0);
  return 0;
}
