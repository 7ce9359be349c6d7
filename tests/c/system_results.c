// Results of the system are arbitrary, within what POSIX says.
//
// run: --unwind 12
// expect: sc,tso=SAFE
//
// run: -DREAD
// expect: sc,tso=UNSAFE
//
// run: -DENVIRONMENT
// expect: sc,tso=UNSAFE
//
// run: -DPROCESSORS
// expect: sc,tso=UNSAFE
//
// run: -DSEED
// expect: sc,tso=UNSAFE

#include <assert.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int less(const void *a, const void *b) {
  int x = *(const int *)a, y = *(const int *)b;
  return x < y ? -1 : x > y;
}

int main(void) {
  char text[4] = "abc";
  struct sigaction action = {.sa_handler = SIG_IGN}, old;
  unsigned seed = 1;
  assert(sigaction(SIGINT, &action, &old) == 0);
  int file = open("data", O_RDONLY);
  assert(file >= -1);
  ssize_t n = read(file, text, sizeof text);
  assert(n >= -1 && n <= 4);
#ifdef READ
  assert(text[0] == 'a');
#endif
  n = write(file, text, 2);
  assert(n >= -1 && n <= 2);
  n = close(file);
  assert(n == 0 || n == -1);
  const char *home = getenv("HOME");
  if (home) assert(strlen(home) <= 8);
#ifdef ENVIRONMENT
  assert(home && home[0] == '/');
#endif
#ifdef PROCESSORS
  assert(sysconf(_SC_NPROCESSORS_ONLN) == 8);
#else
  assert(sysconf(_SC_NPROCESSORS_ONLN) >= -1);
#endif
  assert(rand_r(&seed) >= 0);
#ifdef SEED
  assert(seed == 1);
#endif
  int numbers[4] = {3, 1, 2, 1}, key = 2;
  qsort(numbers, 4, sizeof *numbers, less);
  assert(numbers[0] == 1 && numbers[1] == 1 && numbers[2] == 2 && numbers[3] == 3);
  int *found = bsearch(&key, numbers, 4, sizeof *numbers, less);
  assert(found == numbers + 2);
  key = 7;
  assert(!bsearch(&key, numbers, 4, sizeof *numbers, less));
  return 0;
}
