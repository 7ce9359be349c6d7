// Subscripts outside of an array that is a part of an object, though inside of the object (C11 6.5.6p8);
// copies between objects that overlap (7.24.2.1p2); sizes that no object has. Forming an address one past
// the elements, member arrays of no or one element wherever they stand (older code has them for flexible
// ones), and copies of an object to itself are right.
//
// run: --check memory -DMEMBER
// expect: all=UNSAFE
// run: --check memory -DROW
// expect: all=UNSAFE
// run: --check memory -DROWS
// expect: all=UNSAFE
// run: --check memory -DADDRESS
// expect: all=UNSAFE
// run: --check memory -DNEIGHBOUR
// expect: all=UNSAFE
// run: --check memory -DOVERLAP
// expect: all=UNSAFE
// run: --check memory -DSIZE
// expect: all=UNSAFE
// run: --check memory
// expect: all=SAFE
#include <stdlib.h>
#include <string.h>

extern int __VERIFIER_nondet_int(void);

struct last {
  int n;
  int tail[1];
};
struct flexible {
  int n;
  int tail[];
};
int table[4][5];
struct {
  int before;
  int slot[2];
  int rows[2][3];
  int behind;
} s;
struct {
  int slot[2];
  char bytes[8];
} ring;
char text[8] = "abcdefg";

int main(void) {
  int i = __VERIFIER_nondet_int();
  if (i < -1 || i > 2)
    return 0;
#if defined MEMBER
  s.slot[i] = 5;
#elif defined ROW
  return table[1][i + 3];
#elif defined ROWS
  return s.rows[i < 0 ? 0 : i][0];
#elif defined ADDRESS
  return &s.slot[i + 1] == 0;
#elif defined NEIGHBOUR
  // All wrong places have another type.
  return i < 0 ? 0 : ring.slot[i];
#elif defined OVERLAP
  memcpy(text + 1, text, 4);
#elif defined SIZE
  memset(text, 0, -1);
#else
  int *end = &s.rows[1][3];
  int(*row)[3] = &s.rows[2];
  struct last *p = malloc(sizeof *p + 2 * sizeof(int));
  struct flexible *q = malloc(sizeof *q + 2 * sizeof(int));
  p->tail[2] = q->tail[1] = 1;
  memcpy(text + 4, text, 4);
  memcpy(text, text, 4);
  memmove(text + 1, text, 4);
  return end == 0 || row == 0 || table[i + 1][i + 1];
#endif
  return 0;
}
