// Coherence of a word and its halves.
//
// Two writes of the whole are in one order for both halves.
// run: -DWRITES
// expect: all=SAFE
// A half that is read new, and then the whole with that half old.
// run: -DHALF_THEN_WHOLE
// expect: all=SAFE
// The whole that is read new, and then a half of it old.
// run: -DWHOLE_THEN_HALF
// expect: all=SAFE
// A thread sees its own half in the whole.
// run: -DOWN
// expect: all=SAFE
// What another thread writes over it comes later for good.
// run: -DOVERWRITTEN
// expect: all=SAFE
// A half stays as the last write of the whole or of the half left it; which one is last is open.
// run: -DLAST
// expect: all=UNSAFE
#include <assert.h>
#include <pthread.h>
#include <stdint.h>

union {
  uint32_t whole;
  uint16_t half[2];
} x;

void *one(void *arg) {
#if defined OWN
  x.half[0] = 1;
  assert((x.whole & 0xffff) == 1);
#elif defined OVERWRITTEN
  x.whole = 0x00010001;
  uint16_t seen = x.half[1];
  assert(seen == 1 || seen == 2);
  if (seen == 2) {
    assert(x.half[1] == 2);
  }
#elif defined LAST
  x.half[0] = 1;
#else
  x.whole = 0x00010001;
#endif
  return 0;
}

void *two(void *arg) {
#if defined HALF_THEN_WHOLE
  uint16_t half = x.half[1];
  uint32_t whole = x.whole;
  assert(half == 0 || whole >> 16 == 1);
#elif defined WHOLE_THEN_HALF
  uint32_t whole = x.whole;
  uint16_t half = x.half[1];
  assert(whole == 0 || half == 1);
#elif defined OWN
  x.half[1] = 1;
#else
  x.whole = 0x00020002;
#endif
  return 0;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, one, 0);
  pthread_create(&b, 0, two, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
#if defined WRITES || defined OVERWRITTEN
  assert(x.half[0] == x.half[1]);
#elif defined LAST
  assert(x.half[1] == 2);
  assert(x.half[0] == 2);
#elif defined OWN
  assert(x.whole == 0x00010001);
#endif
  return 0;
}
