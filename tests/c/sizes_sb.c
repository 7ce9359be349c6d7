// Store buffering where each thread reads the whole word after writing a half of it: its own half may
// come out of its buffer while the other half is read from memory.
//
// run:
// expect: sc=SAFE tso,pso,rmo,alpha,power,power2010=UNSAFE
// run: -DF=c11sc
// expect: all=SAFE
// run: -DWIDE_WRITE
// expect: all=SAFE
#include <assert.h>
#include <pthread.h>
#include <stdint.h>
#include "fences.h"

#ifndef F
#define F none
#endif

union {
  uint32_t whole;
  uint16_t half[2];
} x;

uint32_t seen[2];

void *low(void *arg) {
#ifdef WIDE_WRITE
  x.whole = 0x00010001;
  // Whoever writes last is seen by the other one in both halves, or not yet at all.
  uint16_t one = x.half[1];
  seen[0] = one == 2 ? x.half[0] == 2 : 1;
#else
  x.half[0] = 1;
  FENCE(F);
  seen[0] = x.whole;
#endif
  return 0;
}

void *high(void *arg) {
#ifdef WIDE_WRITE
  x.whole = 0x00020002;
  seen[1] = 1;
#else
  x.half[1] = 1;
  FENCE(F);
  seen[1] = x.whole;
#endif
  return 0;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, low, 0);
  pthread_create(&b, 0, high, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
#ifdef WIDE_WRITE
  assert(x.half[0] == x.half[1]);
#else
  assert(seen[0] >> 16 == 1 || (seen[1] & 0xffff) == 1);
  assert((seen[0] & 0xffff) == 1 && seen[1] >> 16 == 1);
#endif
  return 0;
}
