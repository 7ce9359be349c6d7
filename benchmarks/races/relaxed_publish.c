// A pointer that is published by a relaxed store: reading it is no race, reading what it points to
// is one, also where the machine keeps the address dependency.
//
// run: --check race
// expect: all=UNSAFE

#include <pthread.h>
#include <stdatomic.h>

struct point {
  int x, y;
} point;
_Atomic(struct point *) published;

void *publisher(void *arg) {
  point.x = 1;
  point.y = 2;
  atomic_store_explicit(&published, &point, memory_order_relaxed);
  return 0;
}

int main(void) {
  pthread_t t;
  pthread_create(&t, 0, publisher, 0);
  struct point *p = atomic_load_explicit(&published, memory_order_acquire);
  int x = p ? p->x : 0;
  pthread_join(t, 0);
  return x > 1;
}
