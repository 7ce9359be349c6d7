// One loop that ends by itself, one that may go on for ever, one that waits, and one
// that nothing comes to.
//
// run: --unwind 1 --check memory --engine sat
// expect: all=BOUND
//
// run: --unwind 1 -DGAP
// expect: all=UNKNOWN
//
// run: --unwind 6 -DGAP
// expect: all=UNSAFE

#include <assert.h>
#include <pthread.h>

int x, y;
int __VERIFIER_nondet_int(void);
void elsewhere(int);

void *writer(void *unused) {
  x = 1;
  return 0;
}

int main(void) {
  pthread_t t;
  pthread_create(&t, 0, writer, 0);
  for (int i = 0; i < 3; i++)
    if (x)
      y = 1;
  int n = 0;
  while (__VERIFIER_nondet_int())
    n++;
#ifdef GAP
  if (n == 1)
    elsewhere(n);
  assert(n != 5);
#endif
  int never = 0;
  if (never)
    while (n--)
      y = n;
  while (!__atomic_load_n(&x, __ATOMIC_SEQ_CST))
    ;
  pthread_join(t, 0);
  return 0;
}
