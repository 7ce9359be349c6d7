// A function that locks calls another one that locks the same mutex. -DRECURSIVE makes it a mutex
// that its holder may take again.
//
// run: --check deadlock
// expect: all=UNSAFE
//
// run: --check deadlock -DRECURSIVE
// expect: all=SAFE

#include <pthread.h>

pthread_mutex_t mutex;
int total;

static void add(int n) {
  pthread_mutex_lock(&mutex);
  total += n;
  pthread_mutex_unlock(&mutex);
}

static void add_twice(int n) {
  pthread_mutex_lock(&mutex);
  add(n);
  add(n);
  pthread_mutex_unlock(&mutex);
}

void *other(void *arg) {
  add(1);
  return 0;
}

int main(void) {
  pthread_t t;
  pthread_mutexattr_t kind;
  pthread_mutexattr_init(&kind);
#ifdef RECURSIVE
  pthread_mutexattr_settype(&kind, PTHREAD_MUTEX_RECURSIVE);
#endif
  pthread_mutex_init(&mutex, &kind);
  pthread_create(&t, 0, other, 0);
  add_twice(2);
  pthread_join(t, 0);
  return 0;
}
