// Neighbours in memory do not race with each other.
//
// run: --check race -DMINE=a[0] -DYOURS=a[1]
// expect: all=SAFE
//
// run: --check race -DMINE=a[1] -DYOURS=a[1]
// expect: all=UNSAFE
//
// run: --check race -DMINE=s.left -DYOURS=s.right
// expect: all=SAFE
//
// run: --check race -DMINE=a[i] -DYOURS=a[j]
// expect: all=UNSAFE
//
// run: --check race -DMINE=a[2*(i%2)] -DYOURS=a[2*(j%2)+1]
// expect: all=SAFE
//
// run: --check race -DMINE=atomic -DYOURS=atomic
// expect: all=SAFE
//
// run: --check race -DMINE=*(int*)&atomic -DYOURS=atomic
// expect: all=UNSAFE

#include <pthread.h>
#include <stdatomic.h>

int a[4];
struct {
  char left, right;
} s;
atomic_int atomic;
unsigned __VERIFIER_nondet_uint(void);

void *first(void *arg) {
  unsigned i = __VERIFIER_nondet_uint() % 4;
  MINE = (int)i;
  return 0;
}

void *second(void *arg) {
  unsigned j = __VERIFIER_nondet_uint() % 4;
  YOURS = (int)j;
  return 0;
}

int main(void) {
  pthread_t t0, t1;
  pthread_create(&t0, 0, first, 0);
  pthread_create(&t1, 0, second, 0);
  return 0;
}
