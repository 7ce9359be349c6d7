// A consuming read orders what depends on its value: the fields behind the pointer.
//
// run: --check race
// expect: all=SAFE

#include <pthread.h>
#include <stdatomic.h>

struct point {
  int x, y;
} point;
_Atomic(struct point *) published;

void *publisher(void *arg) {
  point.x = 1;
  point.y = 2;
  atomic_store_explicit(&published, &point, memory_order_release);
  return 0;
}

int main(void) {
  pthread_t t;
  pthread_create(&t, 0, publisher, 0);
  struct point *p = atomic_load_explicit(&published, memory_order_consume);
  int x = p ? p->x + p->y : 3;
  pthread_join(t, 0);
  return x != 3;
}
