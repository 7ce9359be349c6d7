// A message is written once and then published; any number of threads look whether it is there, or wait for it, and read it.
// -DRELAXED publishes it without a release, -DFIRST reads it first, -DTWICE changes it afterwards.
//
// run: --check race,assert,memory
// expect: sc=SAFE tso=SAFE pso=SAFE rc11=SAFE aarch64=SAFE riscv=SAFE power=SAFE
//
// run: --check assert --unwind 2 -DRELAXED
// expect: pso=UNSAFE aarch64=UNSAFE power=UNSAFE
//
// run: --check race --unwind 2 -DRELAXED
// expect: rc11=UNSAFE
//
// run: --check race,assert --unwind 2 -DFIRST
// expect: sc=UNSAFE tso=UNSAFE rc11=UNSAFE aarch64=UNSAFE
//
// run: --check race,assert --unwind 2 -DTWICE
// expect: sc=UNSAFE tso=UNSAFE rc11=UNSAFE aarch64=UNSAFE

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

extern int __VERIFIER_nondet_int(void);

#ifdef RELAXED
#define RELEASE memory_order_relaxed
#else
#define RELEASE memory_order_release
#endif

struct {
  int low, high;
} message;
atomic_int ready;

int is_ready(void) { return atomic_load_explicit(&ready, memory_order_acquire); }

void *reader(void *arg) {
#ifndef FIRST
  if (__VERIFIER_nondet_int()) {
    while (!is_ready()) {}
  } else if (!is_ready()) {
    return 0;
  }
#endif
  assert(message.low < message.high && message.low >= 10);
  return 0;
}

void *writer(void *arg) {
  int low = __VERIFIER_nondet_int();
  if (low < 10 || low > 20) return 0;
  message.low = low;
  message.high = low + 1;
  atomic_store_explicit(&ready, 1, RELEASE);
#ifdef TWICE
  message.low = low + 1;
#endif
  return 0;
}

int main(void) {
  pthread_t t;
  pthread_create(&t, 0, writer, 0);
  for (;;) pthread_create(&t, 0, reader, 0);
}
