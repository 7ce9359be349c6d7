// A bounded ring of one producer and one consumer as Linux describes it (Documentation/core-api/
// circular-buffers, CIRC_CNT and CIRC_SPACE): indices run round by a mask, head is released by the
// producer and acquired by the consumer, tail the other way round.
//
// Checked: items come out in order and unharmed, also when the ring wraps and a slot is used again.
// -DPLAIN uses READ_ONCE and WRITE_ONCE alone: on PSO head overtakes the item, from RMO on the item
// is read before head. -DNO_SPACE does not leave a slot free, so a full ring looks empty.
//
// run: --unwind 5
// expect: sc,tso,pso,rmo,alpha,power=SAFE power2010=UNSAFE
//
// run: -DPLAIN --unwind 5
// expect: sc,tso=SAFE pso,rmo,alpha,power2010,power=UNSAFE
//
// run: -DNO_SPACE --unwind 5
// expect: all=UNSAFE
//
// run: --check race --unwind 5
// expect: all=SAFE

#include <kernel.h>
#include <pthread.h>

#define SIZE 4 /* a power of two; one slot stays free */
#ifndef ITEMS
#define ITEMS 5
#endif

#define CIRC_CNT(head, tail, size) (((head) - (tail)) & ((size) - 1))
#define CIRC_SPACE(head, tail, size) CIRC_CNT((tail), ((head) + 1), (size))

#ifdef PLAIN
#define load(p) READ_ONCE(*(p))
#define store(p, v) WRITE_ONCE(*(p), v)
#else
#define load(p) smp_load_acquire(p)
#define store(p, v) smp_store_release(p, v)
#endif

struct circ_buf {
  struct item {
    int number;
    int square;
  } buf[SIZE];
  unsigned long head, tail;
} ring;

void *producer(void *arg) {
  for (int i = 1; i <= ITEMS; i++) {
    unsigned long head = ring.head;
#ifndef NO_SPACE
    while (CIRC_SPACE(head, load(&ring.tail), SIZE) < 1) {
      cpu_relax();
    }
#endif
    struct item *item = &ring.buf[head];
    item->number = i;
    item->square = i * i;
    store(&ring.head, (head + 1) & (SIZE - 1));
  }
  return 0;
}

void *consumer(void *arg) {
  for (int i = 1; i <= ITEMS; i++) {
    unsigned long tail = ring.tail;
    while (CIRC_CNT(load(&ring.head), tail, SIZE) < 1) {
      cpu_relax();
    }
    struct item *item = &ring.buf[tail];
    BUG_ON(item->number != i || item->square != i * i);
    store(&ring.tail, (tail + 1) & (SIZE - 1));
  }
  return 0;
}

int main(void) {
  pthread_t p, c;
  pthread_create(&p, 0, producer, 0);
  pthread_create(&c, 0, consumer, 0);
  pthread_join(p, 0);
  pthread_join(c, 0);
  return 0;
}
