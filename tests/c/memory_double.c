// Two threads free what neither of them has looked at.
//
// run: --check memory
// expect: all=UNSAFE
//
// run: --check memory -DJOIN
// expect: all=UNSAFE
//
// run: --check memory -DONE
// expect: all=SAFE

#include <pthread.h>
#include <stdlib.h>

static void *release(void *p) {
#ifndef ONE
  free(p);
#endif
  return 0;
}

int main(void) {
  void *p = malloc(4);
  pthread_t t, u;
  pthread_create(&t, 0, release, p);
  pthread_create(&u, 0, release, p);
#ifdef JOIN
  pthread_join(t, 0);
  pthread_join(u, 0);
#elif defined ONE
  free(p);
#endif
  return 0;
}
