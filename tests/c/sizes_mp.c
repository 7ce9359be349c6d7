// Message passing between the halves of a word that is written, or read, as a whole: the whole is one
// access, halves keep the order that the model gives to two locations.
//
// run: -DWIDE_WRITE
// expect: sc,tso,pso=SAFE rmo,alpha,power,power2010=UNSAFE
// run: -DWIDE_WRITE -DF=c11sc
// expect: all=SAFE
// run: -DWIDE_READ
// expect: sc,tso=SAFE pso,rmo,alpha,power,power2010=UNSAFE
// run: -DWIDE_READ -DF=c11sc
// expect: all=SAFE
// run: -DWIDE_WRITE -DWIDE_READ
// expect: all=SAFE
// run:
// expect: sc,tso=SAFE pso,rmo,alpha,power,power2010=UNSAFE
// run: -DF=c11sc
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

void *writer(void *arg) {
#ifdef WIDE_WRITE
  x.whole = 0x00010001;
#else
  x.half[0] = 1;
  FENCE(F);
  x.half[1] = 1;
#endif
  return 0;
}

void *reader(void *arg) {
#ifdef WIDE_READ
  uint32_t both = x.whole;
  uint16_t high = both >> 16, low = both;
#else
  uint16_t high = x.half[1];
  FENCE(F);
  uint16_t low = x.half[0];
#endif
  assert(!(high == 1 && low == 0));
  return 0;
}

int main(void) {
  pthread_t w, r;
  pthread_create(&w, 0, writer, 0);
  pthread_create(&r, 0, reader, 0);
  pthread_join(w, 0);
  pthread_join(r, 0);
  return 0;
}
