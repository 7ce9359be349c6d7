// With pthread_exit the locals of all functions that the thread is in end, as with a return.
//
// run: --check memory
// expect: all=UNSAFE
//
// run: --check memory -DRETURN
// expect: all=UNSAFE
//
// run: --check memory -DNESTED
// expect: all=UNSAFE
//
// run: --check memory -DC11
// expect: all=UNSAFE
//
// The thread that uses the local is joined first.
// run: --check memory -DJOIN
// expect: all=SAFE
//
// Main's locals end with pthread_exit, too; when main returns the process ends.
// run: --check memory -DMAIN
// expect: all=UNSAFE
//
// run: --check memory -DMAIN -DRETURN
// expect: all=SAFE

#include <pthread.h>
#include <threads.h>

static void *inner(void *p) {
  *(int *)p = 1;
  return 0;
}

static void leave(void) {
#ifdef C11
  thrd_exit(0);
#else
  pthread_exit(0);
#endif
}

static void *outer(void *arg) {
  int x = 0;
  pthread_t t;
  pthread_create(&t, 0, inner, &x);
#ifdef JOIN
  pthread_join(t, 0);
#else
  pthread_detach(t);
#endif
#ifdef RETURN
  return 0;
#elif defined NESTED || defined C11
  leave();
#else
  pthread_exit(0);
#endif
}

int main(void) {
#ifdef MAIN
  int x = 0;
  pthread_t t;
  pthread_create(&t, 0, inner, &x);
#ifdef RETURN
  return 0;
#endif
#else
  pthread_t t;
  pthread_create(&t, 0, outer, 0);
  pthread_join(t, 0);
#endif
  pthread_exit(0);
}
