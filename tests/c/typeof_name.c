// typeof of the name of a type, where a name could be that of an object as well.
//
// run:
// expect: all=SAFE
//
// run: -DWRONG
// expect: all=UNSAFE

#include <assert.h>

typedef struct { int a, b; } pair;
static __typeof__(pair) pairs[2] = { { 1, 2 }, { 3, 4 } };

int main(void) {
  typeof(pair) copy = pairs[1];
  int pair = 5;
  typeof(pair) other = pair;
#ifdef WRONG
  copy.b++;
#endif
  assert(copy.a + copy.b == 7 && other == 5 && sizeof other == sizeof(int));
}
