// Plain 64 bits on a machine of 32: a store is seen half done, whichever half goes first (C11 5.1.2.4;
// gcc -m32 makes two instructions). Compilers may do either half first, in loads, too.
//
// run: --check assert
// expect: all=SAFE
// run: --check assert --data-model ilp32
// expect: all=UNSAFE
// run: --check assert --data-model ilp32 -DHIGH_FIRST
// expect: all=UNSAFE
// run: --check assert --data-model ilp32 -DMEMBER
// expect: all=UNSAFE
// run: --check assert --data-model ilp32 -DSTEP
// expect: all=UNSAFE
// run: --check assert --data-model ilp32 -DATOMIC
// expect: all=SAFE
// run: --check assert --data-model ilp32 -DLOCKED
// expect: all=SAFE
#include <assert.h>
#include <pthread.h>
#include <stdint.h>

#define ALL 0xffffffffffffffffull

static struct {
  int before;
#ifdef ATOMIC
  _Atomic
#endif
  uint64_t x;
} s;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static void lock(void) {
#ifdef LOCKED
  pthread_mutex_lock(&m);
#endif
}

static void unlock(void) {
#ifdef LOCKED
  pthread_mutex_unlock(&m);
#endif
}

static void *writer(void *arg) {
  lock();
#if defined MEMBER
  __typeof__(s) all = {0, ALL};
  s = all;
#elif defined STEP
  s.x--;
#else
  s.x = ALL;
#endif
  unlock();
  return 0;
}

int main(void) {
  pthread_t t;
  pthread_create(&t, 0, writer, 0);
  lock();
  uint64_t seen = s.x;
  unlock();
#ifdef HIGH_FIRST
  assert(seen != 0xffffffff00000000ull);
#else
  assert(seen == 0 || seen == ALL);
#endif
  pthread_join(t, 0);
  return 0;
}
