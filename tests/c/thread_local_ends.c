// What each thread has for itself ends with the thread.
//
// run: --check memory
// expect: all=UNSAFE
//
// run: --check memory -DEXIT
// expect: all=UNSAFE
//
// run: --check memory -DBEFORE
// expect: all=SAFE
//
// run: --check memory -DMAIN
// expect: all=SAFE
#include <pthread.h>

static _Thread_local int v = 5;
static int *of_main;

static void *thread(void *arg) {
#ifdef BEFORE
  *(int *)arg = v;
  return 0;
#elif defined MAIN
  *of_main = 7;
  return 0;
#elif defined EXIT
  pthread_exit(&v);
#else
  return &v;
#endif
}

int main(void) {
  pthread_t t;
  int here = 0;
  void *q = &here;
  of_main = &v;
  pthread_create(&t, 0, thread, &here);
#if defined BEFORE || defined MAIN
  pthread_join(t, 0);
#else
  pthread_join(t, &q);
#endif
  return *(int *)q;
}
