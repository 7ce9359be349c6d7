// Objects read and written in other units than they are declared in, within a thread.
//
// run: -DHEAP
// expect: all=SAFE
// run: -DFLOAT
// expect: all=SAFE
// run: -DMEMCPY
// expect: all=SAFE
// run: -DINDEX
// expect: all=SAFE
// run: -DINDEX -DWRONG
// expect: all=UNSAFE
// run: -DMEMSET
// expect: all=SAFE
// run: -DUNALIGNED
// expect: all=SAFE
// run: -DBITFIELD
// expect: all=SAFE
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

extern int __VERIFIER_nondet_int(void);

#if defined HEAP
int main(void) {
  unsigned char *buffer = malloc(8);
  if (!buffer) {
    return 0;
  }
  *(uint32_t *)buffer = 0x04030201;
  *(uint16_t *)(buffer + 4) = 0x0605;
  buffer[6] = 7;
  buffer[7] = 8;
  assert(*(uint64_t *)buffer == 0x0807060504030201);
  assert(*(uint32_t *)(buffer + 4) == 0x08070605);
  assert(buffer[2] == 3);
  free(buffer);
  return 0;
}
#elif defined FLOAT
union {
  float f;
  uint32_t bits;
  uint8_t byte[4];
} number;
int main(void) {
  number.f = -1.5f;
  assert(number.bits == 0xbfc00000);
  assert(number.byte[3] == 0xbf && number.byte[2] == 0xc0);
  number.byte[3] = 0x3f;
  assert(number.f == 1.5f);
  return 0;
}
#elif defined MEMCPY
uint64_t from = 0x1122334455667788;
struct {
  uint8_t a, b;
  uint16_t c;
  uint32_t d;
} to;
int main(void) {
  memcpy(&to, &from, sizeof to);
  assert(to.a == 0x88 && to.b == 0x77 && to.c == 0x5566 && to.d == 0x11223344);
  return 0;
}
#elif defined INDEX
union {
  uint32_t word;
  uint8_t byte[4];
} x;
int main(void) {
  int i = __VERIFIER_nondet_int();
  if (i < 0 || i > 3) {
    return 0;
  }
  x.byte[i] = 1;
#ifdef WRONG
  assert(x.word != 0x10000);
#else
  assert(x.word == 1u << 8 * i);
#endif
  return 0;
}
#elif defined MEMSET
struct {
  uint16_t a;
  uint32_t b;
} s;
int main(void) {
  memset(&s, 0x11, sizeof s);
  assert(s.a == 0x1111 && s.b == 0x11111111);
  *((uint8_t *)&s.b + 1) = 0;
  assert(s.b == 0x11110011);
  return 0;
}
#elif defined UNALIGNED
struct __attribute__((packed)) {
  uint8_t tag;
  uint32_t value;
} s;
int main(void) {
  s.value = 0x04030201;
  uint8_t *bytes = (uint8_t *)&s;
  assert(bytes[1] == 1 && bytes[4] == 4);
  bytes[2] = 0xff;
  assert(s.value == 0x0403ff01);
  return 0;
}
#elif defined BITFIELD
union {
  struct {
    unsigned low : 4, high : 12;
  } bits;
  uint8_t byte[4];
} x;
int main(void) {
  x.bits.high = 0xabc;
  x.bits.low = 0xd;
  assert(x.byte[0] == 0xcd && x.byte[1] == 0xab);
  return 0;
}
#endif
