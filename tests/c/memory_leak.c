// What is not freed at the end.
//
// run: --check leak
// expect: all=UNSAFE
//
// run: --check leak -DFREE
// expect: all=SAFE
//
// run: --check leak -DFREE_IN_THREAD
// expect: all=SAFE
//
// run: --check leak -DLOST
// expect: all=UNSAFE
//
// run: --check leak -DEXIT
// expect: all=SAFE

#include <pthread.h>
#include <stdlib.h>

void *thread(void *arg) {
#ifdef FREE_IN_THREAD
  free(arg);
#endif
  return 0;
}

int main(void) {
  pthread_t t;
  int *p = malloc(sizeof *p);
#ifdef LOST
  p = malloc(sizeof *p);
#endif
  pthread_create(&t, 0, thread, p);
  pthread_join(t, 0);
#ifdef EXIT
  exit(0);
#endif
#if defined(FREE) || defined(LOST)
  free(p);
#endif
  return 0;
}
