// Each thread takes the next free element of an array by an atomic addition, and is its only user.
// -DLOAD reads the number and writes it back, -DLESS gives it back too early.
//
// run: --check race
// expect: sc=SAFE tso=SAFE pso=SAFE rc11=SAFE aarch64=SAFE riscv=SAFE power=SAFE
//
// run: --check race --unwind 3 -DLOAD
// expect: sc=UNSAFE tso=UNSAFE rc11=UNSAFE aarch64=UNSAFE
//
// run: --check race --unwind 3 -DLESS
// expect: sc=UNSAFE tso=UNSAFE rc11=UNSAFE aarch64=UNSAFE

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

int length, *elements;
atomic_int next;

void *worker(void *arg) {
#ifdef LOAD
  int mine = next;
  next = mine + 1;
#else
  int mine = atomic_fetch_add_explicit(&next, 1, memory_order_relaxed);
#endif
#ifdef LESS
  atomic_fetch_sub(&next, 1);
#endif
  if (mine < length) elements[mine] = __VERIFIER_nondet_int();
  return 0;
}

int main(void) {
  pthread_t t;
  length = __VERIFIER_nondet_int();
  if (length < 1 || length > 1000) return 0;
  elements = calloc(length, sizeof *elements);
  if (!elements) return 0;
  while (__VERIFIER_nondet_int()) pthread_create(&t, 0, worker, 0);
  pthread_exit(0);
}
