// 32-bit ARM: counting with `ldrex` and `strex` as Linux does, and a lock in named registers.
//
// run: -DCOUNT
// expect: all=SAFE aarch64,riscv=SAFE
//
// run: -DLOCK
// expect: sc,tso=SAFE pso,rmo,alpha,power2010,power,aarch64,riscv=UNSAFE
//
// run: -DLOCK -DBARRIERS
// expect: all=SAFE aarch64,riscv=SAFE

#include <assert.h>
#include <pthread.h>

int lock, count;

static void add(int n, int *p) {
  unsigned long failed;
  int result;
  __asm__ volatile("1: ldrex %0, [%3]\n"
                   "  add %0, %0, %4\n"
                   "  strex %1, %0, [%3]\n"
                   "  teq %1, #0\n"
                   "  bne 1b"
                   : "=&r"(result), "=&r"(failed), "+Qo"(*p)
                   : "r"(p), "Ir"(n)
                   : "cc");
}

static void acquire(int *l) {
  int failed;
  __asm__ volatile("1: ldrex r2, [%1]\n"
                   "  cmp r2, #0\n"
                   "  bne 1b\n"
                   "  mov r3, #1\n"
                   "  strex %0, r3, [%1]\n"
                   "  cmp %0, #0\n"
                   "  bne 1b\n"
#ifdef BARRIERS
                   "  dmb"
#endif
                   : "=&r"(failed)
                   : "r"(l)
                   : "r2", "r3", "memory", "cc");
}

static void release(int *l) {
#ifdef BARRIERS
  __asm__ volatile("dmb ish" ::: "memory");
#endif
  __asm__ volatile("str %1, [%0]" : : "r"(l), "r"(0) : "memory");
}

void *worker(void *arg) {
#ifdef COUNT
  add(1, &count);
#else
  acquire(&lock);
  count++;
  release(&lock);
#endif
  return 0;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, worker, 0);
  pthread_create(&b, 0, worker, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  assert(count == 2);
  return 0;
}
