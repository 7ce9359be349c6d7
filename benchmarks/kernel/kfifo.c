// One producer and one consumer without a lock, which the comment at kfifo's head allows: what comes out
// is what was put in, in order (include/linux/kfifo.h, lib/kfifo.c).
//
// LOCKED: both use a spin lock
// MENDED: the barriers order reads as well, and the consumer has one behind its look at the producer's index
#include "include/linux/kfifo.h"
#include "lib/kfifo.c"
#ifdef MENDED
#undef smp_wmb
#define smp_wmb() smp_mb()
#undef kfifo_is_empty
#define kfifo_is_empty(fifo) \
  ({ int __is_empty = (fifo)->kfifo.in == (fifo)->kfifo.out; smp_mb(); __is_empty; })
#undef kfifo_is_full
#define kfifo_is_full(fifo) ({ int __is_full = kfifo_len(fifo) > (fifo)->kfifo.mask; smp_mb(); __is_full; })
#endif
#include <pthread.h>

static DECLARE_KFIFO(fifo, unsigned char, 2);
static DEFINE_SPINLOCK(lock);

static void *produce(void *unused) {
  for (int i = 1; i <= 2; i++) {
#ifdef LOCKED
    unsigned char value = i;
    kfifo_in_spinlocked(&fifo, &value, 1, &lock);
#else
    kfifo_put(&fifo, i);
#endif
  }
  return unused;
}

int main(void) {
  pthread_t thread;
  int last = 0;
  INIT_KFIFO(fifo);
  pthread_create(&thread, 0, produce, 0);
  for (int i = 0; i < 2; i++) {
    unsigned char value;
#ifdef LOCKED
    if (!kfifo_out_spinlocked(&fifo, &value, 1, &lock)) continue;
#else
    if (!kfifo_get(&fifo, &value)) continue;
#endif
    assert(value == last + 1);
    last = value;
  }
  pthread_join(thread, 0);
  assert(kfifo_len(&fifo) == (unsigned)(2 - last));
  return 0;
}
