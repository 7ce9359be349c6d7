// `lwarx`/`stwcx.` loops as Linux has them: an atomic addition, and a lock that needs a barrier
// when it is taken and one when it is given back.
//
// run: -DADD
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

static void add(int n, int *v) {
  int t;
  __asm__ volatile("1: lwarx %0,0,%3  # atomic_add\n\
	add %0,%2,%0\n\
	stwcx. %0,0,%3\n\
	bne- 1b"
                   : "=&r"(t), "+m"(*v)
                   : "r"(n), "r"(v)
                   : "cc");
}

static void acquire(int *l) {
  int t;
  __asm__ volatile("1: lwarx %0,0,%1\n"
                   "cmpwi 0,%0,0\n"
                   "bne- 2f\n"
                   "stwcx. %2,0,%1\n"
                   "bne- 1b\n"
                   "2:"
                   : "=&r"(t)
                   : "r"(l), "r"(1)
                   : "cr0", "memory");
  __VERIFIER_assume(t == 0);
#ifdef BARRIERS
  __asm__ volatile("isync" ::: "memory");
  __asm__ volatile("lwsync" ::: "memory");
#endif
}

static void release(int *l) {
#ifdef BARRIERS
  __asm__ volatile("sync" ::: "memory");
#endif
  __asm__ volatile("stw%U0%X0 %1,%0" : "=m"(*l) : "r"(0) : "memory");
}

void *worker(void *arg) {
#ifdef ADD
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
  assert(count == 2 || lock);
  return 0;
}
