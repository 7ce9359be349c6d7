// A structure as the memory operand of assembly says where, not how much.
//
// expect: all=SAFE

#define __hp(size, x) ((__typeof__(struct { char v[size]; }) *)(x))
static inline unsigned long xchg(unsigned long *p, unsigned long v)
{
    __asm__ __volatile__("xchgq %0, %1" : "=r"(v), "+m"(*__hp(8, p)) : "0"(v) : "memory");
    return v;
}
int main(void) { unsigned long x = 1; return xchg(&x, 2) - 1; }
