// The arguments of a program are there, but nobody knows which; a program that does not look at
// them does not depend on them.
//
// run:
// expect: all=SAFE
//
// run: -DLOOK
// expect: all=UNKNOWN

#include <assert.h>

int main(int argc, char **argv) {
#ifdef LOOK
  if (argc > 1 && argv[1][0] == 'x')
    return 1;
#endif
  assert(argc == argc);
  return 0;
}
