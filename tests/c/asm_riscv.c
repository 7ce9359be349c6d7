// RISC-V: message passing with fences, counting with `lr` and `sc`, and with an atomic addition.
//
// run: -DPLAIN
// expect: sc,tso=SAFE pso,rmo,alpha,power2010,power,aarch64,riscv=UNSAFE
//
// run: -DFENCES
// expect: sc,tso,pso,rmo,alpha,power,aarch64,riscv=SAFE power2010=UNSAFE
//
// run: -DCOUNT
// expect: all=SAFE aarch64,riscv=SAFE

#include <assert.h>
#include <pthread.h>

int data, flag, count, sum;

static void set(int *p, int v) {
#ifdef FENCES
  __asm__ volatile("fence rw,w" ::: "memory");
#endif
  __asm__ volatile("sw %1, %0" : "=m"(*p) : "r"(v) : "memory");
}

static int get(int *p) {
  int v;
  __asm__ volatile("lw %0, 0(%1)" : "=r"(v) : "r"(p) : "memory");
#ifdef FENCES
  __asm__ volatile("fence r,rw" ::: "memory");
#endif
  return v;
}

static void increment(int *p) {
  int value, failed;
  __asm__ volatile("1: lr.w %0, %2\n\taddi %0, %0, 1\n\tsc.w %1, %0, %2\n\tbnez %1, 1b"
                   : "=&r"(value), "=&r"(failed), "+A"(*p));
}

static void add(int *p, int n) {
  __asm__ volatile("amoadd.w zero, %1, %0" : "+A"(*p) : "r"(n) : "memory");
}

void *other(void *arg) {
#ifdef COUNT
  increment(&count);
  add(&sum, 2);
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
  add(&sum, 3);
  pthread_join(t, 0);
  assert(count == 2 && sum == 5);
#else
  if (get(&flag)) assert(data == 1);
#endif
  return 0;
}
