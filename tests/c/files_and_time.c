// Library functions whose results are any that they may have.
//
// run:
// expect: sc=SAFE
//
// run: -DSHORT
// expect: sc=UNSAFE
//
// run: -DCHANGED
// expect: sc=UNSAFE
#include <assert.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

int prctl(int option, ...);

int main(void) {
  char text[4] = "abc";
  prctl(15, "worker");
  alarm(3);
  size_t written = fwrite(text, 2, 2, stdout);
  assert(written <= 2);
#ifdef SHORT
  assert(written == 2);
#endif
  size_t read = fread(text, 1, 3, stdin);
  assert(read <= 3 && text[3] == 0);
#ifdef CHANGED
  assert(text[1] == 'b');
#endif
  struct timespec now;
  assert(timespec_get(&now, TIME_UTC) == TIME_UTC);
  return 0;
}
