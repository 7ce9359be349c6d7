// Read-modify-writes of a word, and writes of a part of it by another thread: nothing comes between the
// read and the write of any part.
//
// run: -DOR
// expect: all=SAFE
// run: -DADD
// expect: all=SAFE
// run: -DEXCHANGE
// expect: all=SAFE
// run: -DCAS
// expect: all=SAFE
// A load and a store of the whole lose the other's write.
// run: -DAPART
// expect: all=UNSAFE
#include <assert.h>
#include <pthread.h>
#include <stdint.h>

union {
  uint32_t whole;
  uint16_t half[2];
  uint8_t byte[4];
} x;

uint32_t before;

void *whole(void *arg) {
#if defined OR
  before = __atomic_fetch_or(&x.whole, 0x01000001, __ATOMIC_RELAXED);
#elif defined ADD
  before = __atomic_fetch_add(&x.whole, 0x00ffff02, __ATOMIC_RELAXED);
#elif defined EXCHANGE
  before = __atomic_exchange_n(&x.whole, 0x01010101, __ATOMIC_RELAXED);
#elif defined CAS
  uint32_t old = 0;
  before = !__atomic_compare_exchange_n(&x.whole, &old, 0x01010101, 0, __ATOMIC_RELAXED,
                                        __ATOMIC_RELAXED);
#elif defined APART
  x.whole = x.whole | 0x01000001;
#endif
  return 0;
}

void *part(void *arg) {
  __atomic_store_n(&x.byte[0], 0xfe, __ATOMIC_RELAXED);
  return 0;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, whole, 0);
  pthread_create(&b, 0, part, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
#if defined OR || defined APART
  assert(x.whole == 0x010000fe || x.whole == 0x010000ff);
#elif defined ADD
  // 0xfe + 2 carries into the second byte, if the addition comes last.
  assert(before == 0 ? x.whole == 0x00fffffe : x.whole == 0x01000000);
#elif defined EXCHANGE
  assert(before == 0 ? x.whole == 0x010101fe : x.whole == 0x01010101);
#elif defined CAS
  assert(before == 0 ? x.whole == 0x010101fe : x.whole == 0xfe);
#endif
  return 0;
}
