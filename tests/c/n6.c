// n6: a thread reads its own buffered write before the other's overwrites it.
// expect: sc=SAFE tso,pso,rmo,alpha,power2010,power=UNSAFE

#include "fences.h"
#include <assert.h>
#include <pthread.h>

int x, y, r1, r2;

void *thread0(void *arg) {
  x = 1;
  int a = x;
  int b = y;
  r1 = a;
  r2 = b;
  return 0;
}

void *thread1(void *arg) {
  y = 1;
  x = 2;
  return 0;
}

int main(void) {
  pthread_t t0, t1;
  pthread_create(&t0, 0, thread0, 0);
  pthread_create(&t1, 0, thread1, 0);
  pthread_join(t0, 0);
  pthread_join(t1, 0);
  assert(!(r1 == 1 && r2 == 0 && x == 1));
  return 0;
}
