// A word of eight bytes read while another thread writes its halves: one access where words have eight
// bytes; where they have four, it is one of each half, in either order.
//
// run:
// expect: all=SAFE
// run: --data-model ilp32
// expect: all=UNSAFE
// run: --data-model ilp32 -DATOMIC
// expect: all=SAFE
#include <assert.h>
#include <pthread.h>
#include <stdint.h>

union {
  uint64_t whole;
  uint32_t half[2];
} x;

void *writer(void *arg) {
  x.half[0] = 1;
  __sync_synchronize();
  x.half[1] = 1;
  return 0;
}

int main(void) {
  pthread_t w;
  pthread_create(&w, 0, writer, 0);
#ifdef ATOMIC
  uint64_t seen = __atomic_load_n(&x.whole, __ATOMIC_RELAXED);
#else
  uint64_t seen = x.whole;
#endif
  assert(seen != 0x0000000100000000);
  pthread_join(w, 0);
  return 0;
}
