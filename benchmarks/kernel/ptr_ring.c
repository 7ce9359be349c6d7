// Pointers from a producer to a consumer in order: what they point to has been written, none is lost and
// none comes twice (include/linux/ptr_ring.h).
//
// UNLOCKED: a second consumer, and neither takes the lock
#include "include/linux/ptr_ring.h"
#include <pthread.h>

static struct ptr_ring ring;
static int items[3];

static void *produce(void *unused) {
  for (int i = 0; i < 3; i++) {
    items[i] = i + 1;
    if (ptr_ring_produce(&ring, &items[i])) break;
  }
  return unused;
}

#ifdef UNLOCKED
static void *consume(void *unused) {
  return __ptr_ring_consume(&ring);
}
int main(void) {
  pthread_t thread;
  void *other, *mine;
  if (ptr_ring_init(&ring, 2, GFP_KERNEL)) return 0;
  produce(0);
  pthread_create(&thread, 0, consume, 0);
  mine = __ptr_ring_consume(&ring);
  pthread_join(thread, &other);
  assert(mine != other);
  return 0;
}
#else
int main(void) {
  pthread_t thread;
  int last = 0;
  void *queue[2] = { 0, 0 };
  if (ptr_ring_init(&ring, 2, GFP_KERNEL)) return 0;
  pthread_create(&thread, 0, produce, 0);
  for (int i = 0; i < 2; i++) {
    int *item = ptr_ring_consume(&ring);
    if (item) {
      assert(*item == last + 1);
      last = *item;
    }
  }
  pthread_join(thread, 0);
  return 0;
}
#endif
