// `__int128` between threads: an atomic access is one of both words, a plain one is not.
//
// run: -DCOUNT
// expect: sc,tso,pso,rc11,aarch64,power,riscv=SAFE
//
// run: -DCOUNT -DPLAIN --check assert
// expect: sc,tso,aarch64=UNSAFE
//
// run: -DTEAR
// expect: sc,tso,rc11,aarch64,power=SAFE
//
// run: -DTEAR -DPLAIN
// expect: rc11=UNSAFE
//
// run: -DTEAR -DPLAIN --check assert
// expect: sc,tso,power=UNSAFE
//
// gcc's older builtins, and an object that is declared atomic.
// run: -DSYNC
// expect: sc,tso,rc11=SAFE

#include <assert.h>
#include <pthread.h>
#include <stdint.h>

typedef unsigned __int128 wide;
static wide shared;
static _Atomic __int128 declared = -5;

static wide joined(uint64_t high, uint64_t low) { return (wide)high << 64 | low; }

static wide load(void) {
#if defined(PLAIN)
  return shared;
#else
  return __atomic_load_n(&shared, __ATOMIC_RELAXED);
#endif
}

static int swap(wide *old, wide new) {
#if defined(PLAIN)
  shared = new;
  return 1;
#else
  return __atomic_compare_exchange_n(&shared, old, new, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
#endif
}

static void *add(void *arg) {
  wide old = load();
  while (!swap(&old, old + joined(1, UINT64_MAX)));
  return arg;
}

int main(void) {
  pthread_t t;
  pthread_create(&t, 0, add, 0);
#if defined(COUNT)
  add(0);
  pthread_join(t, 0);
  assert(shared == joined(3, UINT64_MAX - 1));
#elif defined(TEAR)
  wide seen = load();
  assert(seen == 0 || seen == joined(1, UINT64_MAX));
  pthread_join(t, 0);
#else
  pthread_join(t, 0);
  assert(__sync_bool_compare_and_swap(&shared, joined(1, UINT64_MAX), 7));
  assert(__sync_val_compare_and_swap(&shared, 8, 9) == 7 && shared == 7);
  assert(__sync_lock_test_and_set(&shared, 3) == 7);
  __sync_lock_release(&shared);
  assert(!shared && declared == -5);
  declared = declared + joined(1, 0);
  assert(declared > UINT64_MAX - 5);
#endif
  return 0;
}
