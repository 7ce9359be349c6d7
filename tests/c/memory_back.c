// A jump back over a declaration leaves its scope: an array of variable size ends there (C11, 6.2.4p7),
// and an object of the next round is another one. Pointers of the round before are dangling.
//
// run:
// expect: all=UNSAFE
//
// Others keep their object in C, without its value; a pointer to it over the jump is refused too, as
// the object of the next round would not be the same.
// run: -DPLAIN
// expect: all=UNSAFE
//
// What is declared in front of the label stays.
// run: -DBEFORE
// expect: all=SAFE
//
// Who tries again without pointers of the round before does nothing wrong.
// run: -DRETRY
// expect: all=SAFE

#include <assert.h>

int main(void) {
  int n = 2;
  int *p = 0;
  {
#if defined BEFORE
    int v[n];
#endif
  again:;
#if defined PLAIN
    int v[1];
    v[0] = 1;
#elif !defined BEFORE
    int v[n];
    v[0] = 1;
#endif
#if defined RETRY
    p = v;
    assert(*p == 1);
    if (--n > 0)
      goto again;
#else
    if (!p) {
      p = v;
      goto again;
    }
    *p = 7;
#if defined PLAIN
    assert(v[0] == 1);
#endif
#if defined BEFORE
    assert(v[0] == 7);
#endif
#endif
  }
  return 0;
}
