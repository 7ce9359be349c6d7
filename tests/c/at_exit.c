// Functions that run when the program ends, the last one first, and before those with the attribute `destructor`.
//
// run:
// expect: all=SAFE
//
// run: -DWRONG
// expect: all=UNSAFE
//
// run: -DRETURN
// expect: all=SAFE

#include <assert.h>
#include <stdlib.h>

static int step;

static void first(void) { assert(++step == 2); }
static void last(void) { assert(++step == 1); }
#ifdef WRONG
__attribute__((destructor)) static void end(void) { assert(step == 1); }
#else
__attribute__((destructor)) static void end(void) { assert(step == 2); }
#endif

int main(void) {
  atexit(first);
  atexit(last);
#ifdef RETURN
  return 0;
#else
  exit(0);
#endif
}
