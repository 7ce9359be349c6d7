// Arguments are strings: a number, an option, a usage message.
//
// run: --args 3
// expect: all=SAFE
//
// run: --args 7 --unwind 2
// expect: all=UNSAFE
//
// run: -DOPTION
// expect: all=UNSAFE
//
// run: -DUNCHECKED
// expect: all=UNSAFE

#include <assert.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv) {
#ifdef OPTION
  if (argc == 3) assert(strcmp(argv[2], "-v") != 0);
#elif defined UNCHECKED
  return argv[1][0];
#else
  if (argc != 2) exit(1);
  int n = atoi(argv[1]), sum = 0;
  for (int i = 0; i < n; i++) sum += i;
  assert(n < 7 && sum == 3);
#endif
  return 0;
}
