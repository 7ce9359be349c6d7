// What depends on a branch: on a machine all that comes behind it, in the kernel's model what it decides about.
//
// run:
// expect: lkmm,sc,tso,power,aarch64,riscv=SAFE
//
// The write is behind the end of the if.
// run: -DBEHIND
// expect: lkmm=UNSAFE sc,tso,power,aarch64,riscv=SAFE
//
// The write is only reached if the branch is not taken.
// run: -DRETURNS
// expect: lkmm,sc,tso,power,aarch64,riscv=SAFE
//
// Both ways of the inner branch meet before the write, those of the outer one do not.
// run: -DINNER
// expect: lkmm,sc,tso,power,aarch64,riscv=SAFE
//
// A compare-exchange that fails: what it compares decides about nothing behind it.
// run: -DCOMPARES
// expect: lkmm=UNSAFE sc,tso,power,aarch64,riscv=SAFE
//
// A loop that waits, as smp_cond_load_acquire does.
// run: -DWAITS --unwind 2
// expect: lkmm,sc,tso,power,aarch64,riscv=SAFE

#include <kernel.h>
#include <pthread.h>

int x, y, unrelated, saw_x, saw_y;

void *branches(void *unused) {
#ifdef WAITS
  while (!READ_ONCE(x)) cpu_relax();
  saw_x = 1;
  WRITE_ONCE(y, 1);
#elif defined COMPARES
  saw_x = cmpxchg_relaxed(&x, 5, 6);
  WRITE_ONCE(y, 1);
#else
  int r = READ_ONCE(x);
  saw_x = r;
#if defined BEHIND
  if (r) WRITE_ONCE(unrelated, 1);
  WRITE_ONCE(y, 1);
#elif defined RETURNS
  if (!r) return 0;
  WRITE_ONCE(y, 1);
#elif defined INNER
  if (r) {
    if (READ_ONCE(unrelated)) WRITE_ONCE(unrelated, 2);
    WRITE_ONCE(y, 1);
  }
#else
  if (r) WRITE_ONCE(y, 1);
#endif
#endif
  return 0;
}

void *copies(void *unused) {
  saw_y = READ_ONCE(y);
  smp_mb();
  WRITE_ONCE(x, 1);
  return 0;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, branches, 0);
  pthread_create(&b, 0, copies, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  assert(!(saw_x && saw_y));
}
