// Three threads pass a token on. -DSKIPS passes it by one of them.
//
// run: --check termination
// expect: all=SAFE
//
// run: --check termination -DSKIPS
// expect: all=UNSAFE

#include <pthread.h>
#include <stdatomic.h>

atomic_int token;

static void pass(int me, int next) {
  while (atomic_load_explicit(&token, memory_order_acquire) != me) {
  }
  atomic_store_explicit(&token, next, memory_order_release);
}

void *first(void *arg) {
#ifdef SKIPS
  pass(0, 2);
#else
  pass(0, 1);
#endif
  return 0;
}

void *second(void *arg) {
  pass(1, 2);
  return 0;
}

void *third(void *arg) {
  pass(2, 0);
  return 0;
}

int main(void) {
  pthread_t t[3];
  pthread_create(&t[0], 0, first, 0);
  pthread_create(&t[1], 0, second, 0);
  pthread_create(&t[2], 0, third, 0);
  pthread_join(t[0], 0);
  pthread_join(t[1], 0);
  pthread_join(t[2], 0);
  return 0;
}
