// An index that is not known: its cell and the neighbour stay apart, and two accesses through it meet.
//
// run: -DNEIGHBOUR
// expect: all=SAFE
//
// run: -DCOHERENT
// expect: all=SAFE
//
// run: -DORDER
// expect: sc,tso=SAFE pso,rmo,alpha,power2010,power=UNSAFE
//
// run: -DCROSSED
// expect: sc=SAFE tso,pso,rmo,alpha,power2010,power=UNSAFE

#include "fences.h"
#include <assert.h>
#include <pthread.h>

extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assume(int);

int a[2];
int i, r1, r2;

#if defined(NEIGHBOUR)
void *thread0(void *arg) {
  int k = i;
  a[k] = 1;
  return 0;
}

void *thread1(void *arg) {
  int k = i;
  a[1 - k] = 2;
  return 0;
}
#elif defined(COHERENT)
void *thread0(void *arg) {
  int k = i;
  a[k] = 1;
  a[k] = 2;
  return 0;
}

void *thread1(void *arg) {
  int k = i;
  int u = a[k];
  int v = a[k];
  r1 = u;
  r2 = v;
  return 0;
}
#elif defined(ORDER)
void *thread0(void *arg) {
  int k = i;
  a[k] = 1;
  a[1 - k] = 1;
  return 0;
}

void *thread1(void *arg) {
  int k = i;
  int u = a[1 - k];
  int v = a[k];
  r1 = u;
  r2 = v;
  return 0;
}
#else
void *thread0(void *arg) {
  int k = i;
  a[k] = 1;
  int v = a[1 - k];
  r1 = v;
  return 0;
}

void *thread1(void *arg) {
  int k = i;
  a[1 - k] = 1;
  int v = a[k];
  r2 = v;
  return 0;
}
#endif

int main(void) {
  pthread_t t0, t1;
  i = __VERIFIER_nondet_int();
  __VERIFIER_assume(i == 0 || i == 1);
  pthread_create(&t0, 0, thread0, 0);
  pthread_create(&t1, 0, thread1, 0);
  pthread_join(t0, 0);
  pthread_join(t1, 0);
#if defined(NEIGHBOUR)
  assert(a[i] == 1 && a[1 - i] == 2);
#elif defined(COHERENT)
  assert(!(r1 == 2 && r2 != 2));
#elif defined(ORDER)
  assert(!(r1 == 1 && r2 == 0));
#else
  assert(!(r1 == 0 && r2 == 0));
#endif
  return 0;
}
