// getopt(3) on arguments that are given, and on any.
//
// run: --args -abn7 --unwind 20
// expect: sc,tso=SAFE
//
// run: --args -y -DWRONG --unwind 20
// expect: sc,tso=SAFE
//
// run: -DANY --unwind 3
// expect: sc=UNSAFE

#include <assert.h>
#include <stdlib.h>
#include <unistd.h>

int main(int argc, char **argv) {
  int a = 0, b = 0, n = 0, wrong = 0, option;
  while ((option = getopt(argc, argv, "abn:")) != -1) {
    switch (option) {
    case 'a':
      a++;
      break;
    case 'b':
      b++;
      break;
    case 'n':
      n = atoi(optarg);
      break;
    default:
      wrong++;
    }
  }
#if defined(ANY)
  assert(!(a && wrong));
#elif defined(WRONG)
  assert(wrong == 1 && optopt == 'y' && optind == argc);
#else
  assert(a == 1 && b == 1 && n == 7 && wrong == 0 && optind == argc);
#endif
  return 0;
}
