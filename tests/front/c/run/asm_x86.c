/* Inline assembly of x86-64, as a compiler for it runs it. */
#include <assert.h>

static int xchg(volatile int *p, int v) {
  __asm__ volatile("xchgl %0, %1" : "+r"(v), "+m"(*p) : : "memory");
  return v;
}
static int cmpxchg(volatile int *p, int old, int new) {
  int seen;
  __asm__ volatile("lock; cmpxchgl %2, %1" : "=a"(seen), "+m"(*p) : "r"(new), "0"(old) : "memory", "cc");
  return seen;
}
static int xadd(volatile int *p, int v) {
  __asm__ volatile("lock xaddl %0, %1" : "+r"(v), "+m"(*p) : : "memory", "cc");
  return v;
}
static void increment(volatile int *p) {
  __asm__ volatile("lock\n\tincl %[p]" : [p] "+m"(*p));
}
static _Bool dec_and_test(volatile int *p) {
  unsigned char zero;
  __asm__ volatile("lock; decl %0; sete %1" : "+m"(*p), "=qm"(zero) : : "memory");
  return zero;
}
static _Bool set_bit(volatile long *p, long bit) {
  unsigned char carry;
  __asm__ volatile("lock btsq %2, %0\n\tsetc %1" : "+m"(*p), "=q"(carry) : "r"(bit) : "memory");
  return carry;
}
static long through_pointer(long *p) {
  long r;
  __asm__ volatile("movq (%1), %0\n\taddq $2, %0\n\tmovq %0, 8(%1)" : "=&r"(r) : "r"(p) : "memory");
  return r;
}
static unsigned sum_to(unsigned n) {
  unsigned sum = 0;
  __asm__ volatile(
      "1:\n\taddl %1, %0\n\tdecl %1\n\tjnz 1b" : "+r"(sum), "+r"(n) : : "cc");
  return sum;
}
static _Bool flag(int a, int b) {
  _Bool equal;
  __asm__("cmpl %2, %1" : "=@cce"(equal) : "r"(a), "r"(b));
  return equal;
}

int main(void) {
  volatile int x = 5;
  assert(xchg(&x, 7) == 5 && x == 7);
  assert(cmpxchg(&x, 6, 1) == 7 && x == 7);
  assert(cmpxchg(&x, 7, 1) == 7 && x == 1);
  assert(xadd(&x, 10) == 1 && x == 11);
  increment(&x);
  assert(x == 12);
  x = 2;
  assert(!dec_and_test(&x) && dec_and_test(&x) && x == 0);
  volatile long bits = 0;
  assert(!set_bit(&bits, 5) && set_bit(&bits, 5) && bits == 32);
  long pair[2] = {40, 0};
  assert(through_pointer(pair) == 42 && pair[1] == 42);
  assert(sum_to(4) == 10);
  assert(flag(3, 3) && !flag(3, 4));
  int local = 3;
  __asm__ volatile("negl %0\n\tnotl %0\n\torl $8, %0\n\tandl $0xb, %0\n\txorl $1, %0" : "+r"(local));
  assert(local == 11);
  unsigned char low = 200;
  unsigned wide = 0x12345678;
  __asm__ volatile("addb %1, %b0" : "+q"(wide) : "q"(low));
  assert(wide == 0x12345640);
  return 0;
}
