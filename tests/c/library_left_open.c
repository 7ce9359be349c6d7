// What C leaves open of results: of comparisons the sign alone is said, of the classification of
// characters only whether it is zero; `mtx_trylock` may fail for no reason; what is not a number has
// either sign, and the same one whenever it is looked at.
//
// expect: all=SAFE
//
// run: -DVALUE
// expect: all=UNSAFE
//
// run: -DMEMORY
// expect: all=UNSAFE
//
// run: -DLETTER
// expect: all=UNSAFE
//
// run: -DADDRESS
// expect: all=UNSAFE
//
// run: -DTRIED
// expect: all=UNSAFE
//
// run: -DSIGN
// expect: all=UNSAFE

#include <assert.h>
#include <ctype.h>
#include <math.h>
#include <string.h>
#include <threads.h>

static char a[4] = "ab", b[4] = "ac";
static int (*compare)(const char *, const char *) = strcmp;

int main(void) {
  mtx_t m;
  volatile double zero = 0;
  mtx_init(&m, mtx_plain);
#ifdef VALUE
  assert(strcmp(a, b) == -1);
#elif defined(MEMORY)
  assert(memcmp(b, a, 2) <= 1);
#elif defined(LETTER)
  assert(isalpha(a[0]) == 1);
#elif defined(ADDRESS)
  assert(compare(a, b) != -2);
#elif defined(TRIED)
  assert(mtx_trylock(&m) == thrd_success);
#elif defined(SIGN)
  assert(!signbit(zero / zero));
#else
  double none = zero / zero;
  assert(strcmp(a, b) < 0 && strncmp(a, b, 1) == 0 && memcmp(b, a, 2) > 0 && !strcmp(a, "ab"));
  assert(isalpha(a[0]) && !isdigit(a[0]));
  assert(mtx_lock(&m) == thrd_success && mtx_trylock(&m) == thrd_busy);
  assert(signbit(none) == signbit(none) && signbit(-none) != signbit(none));
  assert(signbit(copysign(none, -1.0)) && !signbit(fabs(none)) && none != none);
#endif
  return 0;
}
