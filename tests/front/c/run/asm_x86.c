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
struct two { unsigned long low, high; } __attribute__((aligned(16)));
static int cmpxchg16b(struct two *p, struct two *old, struct two new) {
  char done;
  __asm__ volatile("lock cmpxchg16b %1\n\tsete %0"
                   : "=q"(done), "+m"(*p), "+a"(old->low), "+d"(old->high)
                   : "b"(new.low), "c"(new.high)
                   : "memory", "cc");
  return done;
}
static int cmpxchg8b(unsigned long *p, unsigned *low, unsigned *high, unsigned long new) {
  char done;
  __asm__ volatile("lock; cmpxchg8b %1; setz %0"
                   : "=q"(done), "+m"(*p), "+a"(*low), "+d"(*high)
                   : "b"((unsigned)new), "c"((unsigned)(new >> 32))
                   : "memory", "cc");
  return done;
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

/* Every condition of a jump, after a subtraction. */
#define CONDITION(name)                                                                       \
  static int name(int a, int b) {                                                             \
    int jumps = 1;                                                                            \
    __asm__("cmpl %2, %1\n\tj" #name " 1f\n\txorl %0, %0\n1:" : "+&r"(jumps) : "r"(a), "r"(b) : "cc"); \
    unsigned char is;                                                                         \
    __asm__("cmpl %2, %1; set" #name " %0" : "=q"(is) : "r"(a), "r"(b) : "cc");               \
    int flag;                                                                                 \
    __asm__("cmpl %2, %1" : "=@cc" #name(flag) : "r"(a), "r"(b));                             \
    assert(is == jumps && flag == jumps);                                                     \
    return jumps;                                                                             \
  }
CONDITION(c) CONDITION(ae) CONDITION(be) CONDITION(l) CONDITION(ge) CONDITION(le)
CONDITION(g) CONDITION(s) CONDITION(ns) CONDITION(o) CONDITION(no) CONDITION(e) CONDITION(ne)
CONDITION(na) CONDITION(nae) CONDITION(nbe) CONDITION(nge) CONDITION(nle) CONDITION(z) CONDITION(nz)

static int carries(unsigned a, unsigned b) {
  int carry = 0;
  __asm__("addl %2, %1\n\tjnc 1f\n\tmovl $1, %0\n1:" : "+&r"(carry), "+r"(a) : "r"(b) : "cc");
  return carry;
}
/* Two digits of 16 bits; `inc` and `dec` leave the carry as it is. */
static int kept_carry(unsigned short a, unsigned short b) {
  int steps = 0;
  __asm__("addw %2, %1\n\tincl %0\n\tjc 1f\n\tincl %0\n1:" : "+&r"(steps), "+r"(a) : "r"(b) : "cc");
  return steps;
}
/* Jumps to labels of one name, forth and back. */
static int labels(int n) {
  int sum = 0;
  __asm__("1: testl %1, %1\n\tjz 1f\n\taddl %1, %0\n\tdecl %1\n\tjmp 1b\n1: negl %0\n\tjns 1b"
          : "+&r"(sum), "+r"(n) : : "cc");
  return sum;
}
/* The parts of a register. */
static unsigned long parts(unsigned long x) {
  __asm__("movq %0, %%rax; movb $0x55, %%al; addw $0x100, %%ax; movq %%rax, %0\n\t"
          "movl $7, %k0; addq %%rax, %0; movw %%r8w, %%r9w" : "+r"(x) : : "rax", "r8", "r9", "cc");
  return x;
}
static int complemented(unsigned *p, int bit) {
  int kept, was;
  __asm__("btl %2, %1" : "=@ccc"(kept) : "r"(*p), "r"(bit));
  __asm__("lock; btcl $4, %0" : "+m"(*p), "=@ccc"(was));
  __asm__("btrl %1, %0" : "+r"(*p) : "r"(bit) : "cc");
  return kept + 2 * was;
}

/* In memory the index in a register leads to other words. */
static int bit_of_array(int *array, int bit) {
  int was, is;
  __asm__("btsl %2, %1" : "=@ccc"(was), "+m"(*array) : "r"(bit) : "memory");
  __asm__("btl %2, %1" : "=@ccc"(is) : "m"(*array), "r"(bit) : "memory");
  return was + 2 * is;
}

int main(void) {
  int words[3] = {0, 4, 0};
  assert(bit_of_array(words, 2) == 2 && bit_of_array(words + 1, 33) == 2 && bit_of_array(words + 2, -30) == 3);
  assert(words[0] == 4 && words[1] == 4 && words[2] == 2);
  int values[] = {0, 1, -1, 5, 2147483647, -2147483647 - 1};
  for (int i = 0; i < 6; i++)
    for (int j = 0; j < 6; j++) {
      int a = values[i], b = values[j];
      unsigned u = a, v = b;
      assert(c(a, b) == (u < v) && ae(a, b) == (u >= v) && be(a, b) == (u <= v) && na(a, b) == (u <= v));
      assert(l(a, b) == (a < b) && ge(a, b) == (a >= b) && le(a, b) == (a <= b) && g(a, b) == (a > b));
      assert(nae(a, b) == (u < v) && nbe(a, b) == (u > v) && nge(a, b) == (a < b) && nle(a, b) == (a > b));
      assert(e(a, b) == (a == b) && ne(a, b) == (a != b) && z(a, b) == (a == b) && nz(a, b) == (a != b));
      assert(s(a, b) == ((int)(u - v) < 0) && ns(a, b) == ((int)(u - v) >= 0));
      int difference, over = __builtin_sub_overflow(a, b, &difference);
      assert(o(a, b) == over && no(a, b) == !over);
      assert(carries(u, v) == (u + v < u));
    }
  assert(kept_carry(0xffff, 1) == 1 && kept_carry(0xfffe, 1) == 2);
  assert(labels(4) == -10);
  assert(parts(0x1122334455667788) == 0x112233445566785c);
  unsigned word = 9;
  assert(complemented(&word, 3) == 1 && word == 17 && complemented(&word, 5) == 2 && word == 1);
  volatile int x = 5;
  assert(xchg(&x, 7) == 5 && x == 7);
  assert(cmpxchg(&x, 6, 1) == 7 && x == 7);
  assert(cmpxchg(&x, 7, 1) == 7 && x == 1);
  struct two both = {1, 2}, seen = {1, 3};
  assert(!cmpxchg16b(&both, &seen, (struct two){5, 6}) && seen.low == 1 && seen.high == 2 && both.low == 1);
  assert(cmpxchg16b(&both, &seen, (struct two){5, 6}) && both.low == 5 && both.high == 6);
  unsigned long joined = 0x700000008ul;
  unsigned lower = 8, upper = 6;
  assert(!cmpxchg8b(&joined, &lower, &upper, 9) && lower == 8 && upper == 7 && joined == 0x700000008ul);
  assert(cmpxchg8b(&joined, &lower, &upper, 0x100000009ul) && joined == 0x100000009ul);
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
