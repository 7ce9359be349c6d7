// What is printed into an array ends there, and begins as the format does; the platform's headers may
// stand beside ours.
//
// expect: all=SAFE
//
// run: -DTEXT
// expect: all=SAFE
//
// run: -DDIGITS
// expect: all=UNSAFE

#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/time.h>
#include <sys/types.h>
#include <unistd.h>

char name[4];
struct timeval start;

void *other(void *arg) {
  snprintf(name, sizeof name, "t%d", (int)getpid());
  return 0;
}

int main(void) {
  pthread_t t;
  gettimeofday(&start, NULL);
  pthread_create(&t, NULL, other, NULL);
  pthread_join(t, NULL);
  usleep(1);
  assert(name[3] == 0);
#ifdef TEXT
  assert(name[0] == 't');
#endif
#ifdef DIGITS
  assert(name[2] != 0);
#endif
  return 0;
}
