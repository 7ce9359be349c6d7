// `a[k] = k` reads k twice: a write of k between the two reads tears it.
//
// run: -DTEAR
// expect: all=UNSAFE
//
// run: -DWHOLE
// expect: all=SAFE

#include "fences.h"
#include <assert.h>
#include <pthread.h>

int a[2] = {7, 7};
int k;

void *thread0(void *arg) {
  a[k] = k;
  return 0;
}

void *thread1(void *arg) {
  k = 1;
  return 0;
}

int main(void) {
  pthread_t t0, t1;
  pthread_create(&t0, 0, thread0, 0);
  pthread_create(&t1, 0, thread1, 0);
  pthread_join(t0, 0);
  pthread_join(t1, 0);
#ifdef TEAR
  assert(!(a[0] == 1 || a[1] == 0));
#else
  assert(a[0] == 0 || a[0] == 1 || a[1] == 0 || a[1] == 1);
#endif
  return 0;
}
