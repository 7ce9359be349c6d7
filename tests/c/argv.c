// The arguments of a program are any; a program that does not look at them does not depend on them.
//
// run:
// expect: all=SAFE
//
// run: -DLOOK
// expect: all=UNSAFE
//
// run: -DLOOK --args x
// expect: all=UNSAFE
//
// run: -DLOOK --args "yx"
// expect: all=SAFE
//
// run: -DEND
// expect: all=SAFE
//
// run: -DBEHIND
// expect: all=UNSAFE

#include <assert.h>
#include <stddef.h>

int main(int argc, char **argv) {
#ifdef LOOK
  if (argc > 1)
    assert(argv[1][0] != 'x');
#endif
#ifdef END
  assert(argv[argc] == NULL);
#endif
#ifdef BEHIND
  return argv[argc + 1] == NULL;
#endif
  assert(argc == argc);
  return 0;
}
