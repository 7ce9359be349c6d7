// Coherence: every model orders the accesses of one location (coRR, coRW, coWR, coWW).
// The last two runs are the outcomes that coherence leaves open.
//
// run: -DCORR
// expect: all=SAFE
//
// run: -DCORW1
// expect: all=SAFE
//
// run: -DCORW2
// expect: all=SAFE
//
// run: -DCOWR1
// expect: all=SAFE
//
// run: -DCOWR2
// expect: all=SAFE
//
// run: -DCOWW
// expect: all=SAFE
//
// run: -DNEW_IS_SEEN
// expect: all=UNSAFE
//
// run: -DOTHER_IS_SEEN
// expect: all=UNSAFE

#include "fences.h"
#include <assert.h>
#include <pthread.h>

int x, r1, r2;

#if defined(CORR) || defined(NEW_IS_SEEN)
void *thread0(void *arg) {
  x = 1;
  return 0;
}

void *thread1(void *arg) {
  int a = x;
  int b = x;
  r1 = a;
  r2 = b;
  return 0;
}
#elif defined(CORW1) || defined(CORW2)
void *thread0(void *arg) {
  int a = x;
  x = 1;
  r1 = a;
  return 0;
}

void *thread1(void *arg) {
  x = 2;
  return 0;
}
#elif defined(COWW)
void *thread0(void *arg) {
  x = 1;
  x = 2;
  return 0;
}

void *thread1(void *arg) {
  r1 = x;
  return 0;
}
#else
void *thread0(void *arg) {
  x = 1;
  int a = x;
  r1 = a;
  return 0;
}

void *thread1(void *arg) {
  x = 2;
  return 0;
}
#endif

#if defined(CORR)
#define ALLOWED !(r1 == 1 && r2 == 0)
#elif defined(NEW_IS_SEEN)
#define ALLOWED !(r1 == 0 && r2 == 1)
#elif defined(CORW1)
#define ALLOWED r1 != 1
#elif defined(CORW2)
#define ALLOWED !(r1 == 2 && x == 2)
#elif defined(COWW)
#define ALLOWED x == 2
#elif defined(COWR1)
#define ALLOWED r1 != 0
#elif defined(COWR2)
#define ALLOWED !(r1 == 2 && x == 1)
#else
#define ALLOWED r1 != 2
#endif

int main(void) {
  pthread_t t0, t1;
  pthread_create(&t0, 0, thread0, 0);
  pthread_create(&t1, 0, thread1, 0);
  pthread_join(t0, 0);
  pthread_join(t1, 0);
  assert(ALLOWED);
  return 0;
}
