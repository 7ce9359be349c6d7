// Memory functions with a computed size go through the elements; the rest stays as it was.
//
// run: --unwind 8
// expect: all=SAFE
//
// run: --unwind 8 -DALL
// expect: all=UNSAFE

#include <assert.h>
#include <string.h>

extern int __VERIFIER_nondet_int(void);
extern unsigned long long __VERIFIER_nondet_ulonglong(void);

int main(void) {
  int k = __VERIFIER_nondet_int();
  if (k < 0 || k > 3) return 0;
  int a[4] = {1, 2, 3, 4}, b[4] = {0};
  memcpy(b, a, k * sizeof(int));
#ifdef ALL
  assert(b[0] == 1);
#else
  assert(k == 0 || b[k - 1] == k);
#endif
  assert(b[k] == 0);
  memset(b, k, sizeof b);
  assert(b[2] == k * 0x01010101);
  unsigned long long x = __VERIFIER_nondet_ulonglong();
  assert(x % 7 < 7);
  return 0;
}
