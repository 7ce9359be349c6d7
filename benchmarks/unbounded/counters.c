// Statistics without a lock: any number of threads count with atomic additions while another one reads.
// -DPLAIN counts one of them without.
//
// run: --check race,memory,misuse
// expect: sc=SAFE tso=SAFE pso=SAFE rc11=SAFE aarch64=SAFE riscv=SAFE power=SAFE
//
// run: --check race --unwind 2 -DPLAIN
// expect: sc=UNSAFE tso=UNSAFE rc11=UNSAFE aarch64=UNSAFE

#include <pthread.h>
#include <stdatomic.h>

extern int __VERIFIER_nondet_int(void);

struct statistics {
  atomic_ulong begun, ended;
#ifdef PLAIN
  unsigned long failed;
#else
  atomic_ulong failed;
#endif
} statistics;

void *request(void *arg) {
  struct statistics *s = arg;
  atomic_fetch_add_explicit(&s->begun, 1, memory_order_relaxed);
  if (__VERIFIER_nondet_int()) s->failed++;
  atomic_fetch_add_explicit(&s->ended, 1, memory_order_release);
  return 0;
}

void *report(void *arg) {
  struct statistics *s = arg;
  unsigned long sum = 0;
  while (__VERIFIER_nondet_int()) sum += s->begun - s->ended + s->failed;
  return (void *)sum;
}

int main(void) {
  pthread_t t;
  pthread_create(&t, 0, report, &statistics);
  for (;;) pthread_create(&t, 0, request, &statistics);
}
