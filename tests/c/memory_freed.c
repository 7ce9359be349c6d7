// Objects that have ended: freed by whoever uses them, or by others, or left on a stack.
//
// run: -DAFTER
// expect: all=UNSAFE
//
// run: -DTWICE
// expect: all=UNSAFE
//
// run: -DMIDDLE
// expect: all=UNSAFE
//
// run: -DNULL_POINTER
// expect: all=SAFE
//
// run: -DRETURNED
// expect: all=UNSAFE
//
// run: -DIN_TIME
// expect: all=SAFE

#include <stdlib.h>

static int *local(void) {
  int x = 1;
  int *volatile p = &x;
  return p;
}

int main(void) {
  int *p = malloc(2 * sizeof *p);
  p[0] = 1;
  p[1] = 2;
#ifdef AFTER
  free(p);
  return p[1];
#elif defined(TWICE)
  free(p);
  free(p);
#elif defined(MIDDLE)
  free(p + 1);
#elif defined(NULL_POINTER)
  free(p);
  p = 0;
  free(p);
#elif defined(RETURNED)
  free(p);
  return *local();
#else
  int r = p[0];
  free(p);
  return r;
#endif
  return 0;
}
