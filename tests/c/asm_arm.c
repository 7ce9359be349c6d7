// ARM: message passing with `stlr` and `ldar`, or with `dmb`; counting with exclusive accesses.
//
// run: -DPLAIN
// expect: sc,tso=SAFE pso,rmo,alpha,power2010,power,aarch64,riscv=UNSAFE
//
// run: -DDMB
// expect: all=SAFE aarch64,riscv=SAFE
//
// run: -DACQUIRE
// expect: all=SAFE aarch64,riscv=SAFE
//
// run: -DCOUNT
// expect: all=SAFE aarch64,riscv=SAFE

#include <assert.h>
#include <pthread.h>

int data, flag, count;

static void set(int *p, int v) {
#if defined ACQUIRE
  __asm__ volatile("stlr %w1, %0" : "=Q"(*p) : "r"(v) : "memory");
#elif defined DMB
  __asm__ volatile("dmb ish\n\tstr %w1, [%0]" : : "r"(p), "r"(v) : "memory");
#else
  __asm__ volatile("str %w1, [%0]" : : "r"(p), "r"(v) : "memory");
#endif
}

static int get(int *p) {
  int v;
#if defined ACQUIRE
  __asm__ volatile("ldar %w0, %1" : "=r"(v) : "Q"(*p) : "memory");
#elif defined DMB
  __asm__ volatile("ldr %w0, [%1]\n\tdmb ish" : "=r"(v) : "r"(p) : "memory");
#else
  __asm__ volatile("ldr %w0, [%1]" : "=r"(v) : "r"(p) : "memory");
#endif
  return v;
}

static void increment(int *p) {
  int value, failed;
  __asm__ volatile("1: ldxr %w0, %2\n\tadd %w0, %w0, #1\n\tstxr %w1, %w0, %2\n\tcbnz %w1, 1b"
                   : "=&r"(value), "=&r"(failed), "+Q"(*p));
}

void *other(void *arg) {
#ifdef COUNT
  increment(&count);
#else
  data = 1;
  set(&flag, 1);
#endif
  return 0;
}

int main(void) {
  pthread_t t;
  pthread_create(&t, 0, other, 0);
#ifdef COUNT
  increment(&count);
  pthread_join(t, 0);
  assert(count == 2);
#else
  if (get(&flag)) assert(data == 1);
#endif
  return 0;
}
