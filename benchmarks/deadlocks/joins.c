// A thread that waits for its own end (-DSELF), and two that wait for each other's (-DMUTUAL): the
// child for its parent's, to clean up behind it, and the parent for the child's. Without them the
// parent leaves by pthread_exit, and the child's wait is over.
//
// run: --check deadlock -DSELF
// expect: all=UNSAFE
//
// run: --check deadlock -DMUTUAL
// expect: all=UNSAFE
//
// run: --check deadlock
// expect: all=SAFE

#include <pthread.h>

void *child(void *arg) {
#ifdef SELF
  pthread_join(pthread_self(), 0);
#else
  pthread_join((pthread_t)arg, 0);
#endif
  return 0;
}

int main(void) {
  pthread_t t;
  pthread_create(&t, 0, child, (void *)pthread_self());
#if defined SELF || defined MUTUAL
  pthread_join(t, 0);
#endif
  pthread_exit(0);
}
