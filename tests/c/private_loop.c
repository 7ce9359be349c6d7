// A loop of many iterations that touch nothing that threads share is followed to its end; one that is too
// long is cut, and what is behind it is not taken for looked at.
//
// run:
// expect: all=UNSAFE
//
// run: -DTHREAD
// expect: all=UNSAFE
//
// run: -DENDLESS
// expect: all=BOUND

#include <assert.h>
#include <pthread.h>

static int seq[2000];

static void *t(void *a) {
  int own[1500];
  for (int i = 0; i < 1500; i++) own[i] = i;
  assert(own[7] == 8);
  return 0;
}

int main(void) {
#ifdef THREAD
  pthread_t i;
  pthread_create(&i, 0, t, 0);
#elif defined ENDLESS
  for (unsigned i = 1;; i++) if (i == 0) break;
  assert(0);
#else
  for (int i = 0; i < 2000; i++) seq[i] = i;
  assert(seq[9] == 10);
#endif
}
