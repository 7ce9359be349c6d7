// Creation and join order; nothing else about threads does.
//
// run: --check race -DBEFORE -DAFTER
// expect: all=SAFE
//
// run: --check race -DBETWEEN -DAFTER
// expect: all=UNSAFE
//
// run: --check race -DAFTER -DNO_JOIN
// expect: all=UNSAFE
//
// run: --check race -DLOCAL -DBETWEEN
// expect: all=SAFE
//
// run: --check race -DARGUMENT
// expect: all=UNSAFE

#include <pthread.h>

#ifdef LOCAL
_Thread_local int x;
#else
int x;
#endif

void *child(void *arg) {
  x++;
#ifdef ARGUMENT
  x = *(int *)arg;
#endif
  return 0;
}

int main(void) {
  pthread_t t;
  int argument = 1;
#ifdef BEFORE
  x = 1;
#endif
  pthread_create(&t, 0, child, &argument);
#ifdef ARGUMENT
  argument = 2;
#endif
#ifdef BETWEEN
  x = 2;
#endif
#ifndef NO_JOIN
  pthread_join(t, 0);
#endif
#ifdef AFTER
  x = 3;
#endif
  return 0;
}
