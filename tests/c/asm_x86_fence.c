// Store buffering with instructions that order as a fence: `xchg` with memory, `lock xadd`, and a
// locked instruction on the stack. The same addition without its prefix orders nothing.
//
// run: -DXCHG
// expect: all=SAFE
//
// run: -DXADD
// expect: all=SAFE
//
// run: -DSTACK
// expect: all=SAFE
//
// run: -DUNLOCKED
// expect: sc=SAFE tso,pso,rmo,alpha,power2010,power=UNSAFE

#include <assert.h>
#include <pthread.h>

int x, y, z, r1, r2;

static void store_and_order(int *p) {
  int v = 1;
#if defined XCHG
  __asm__ volatile("xchgl %0, %1" : "+r"(v), "+m"(*p) : : "memory");
#elif defined XADD
  __asm__ volatile("lock; xaddl %0, %1" : "+r"(v), "+m"(*p) : : "memory", "cc");
#elif defined STACK
  *p = v;
  __asm__ volatile("lock; addl $0, 0(%%rsp)" ::: "memory", "cc");
#else
  __asm__ volatile("addl %1, %0" : "+m"(*p) : "r"(v) : "memory", "cc");
#endif
}

void *other(void *arg) {
  store_and_order(&y);
  r2 = x;
  return 0;
}

int main(void) {
  pthread_t t;
  pthread_create(&t, 0, other, 0);
  store_and_order(&x);
  r1 = y;
  pthread_join(t, 0);
  assert(r1 == 1 || r2 == 1);
  return 0;
}
