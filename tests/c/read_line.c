// A line that is read is any text, in a buffer that may have grown; there may be none.
// run: --unwind 12
// expect: all=SAFE
//
// run: -DNOT_EMPTY --unwind 12
// expect: all=UNSAFE
//
// run: -DTOO_SMALL --unwind 12 --check memory
// expect: all=UNSAFE

#define _GNU_SOURCE
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(void) {
  char *line = 0;
  size_t size = 0;
  ssize_t length = getline(&line, &size, stdin);
#ifdef NOT_EMPTY
  assert(length > 0);
#endif
  if (length < 0) return 0;
  assert(length >= 1 && (size_t)length < size && line[length] == 0);
#ifdef TOO_SMALL
  char copy[4];
  memcpy(copy, line, length + 1);
#endif
  free(line);
  return 0;
}
