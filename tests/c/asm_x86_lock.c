// A lock by `lock; cmpxchg`, given back by a plain store: enough where stores are not reordered.
//
// expect: sc,tso=SAFE pso,rmo,alpha,power2010,power=UNSAFE
//
// run: -DFENCE
// expect: all=SAFE

#include <assert.h>
#include <pthread.h>

volatile int lock;
int count;

void acquire(void) {
  int seen;
  __asm__ volatile("lock; cmpxchgl %2, %1"
                   : "=a"(seen), "+m"(lock)
                   : "r"(1), "0"(0)
                   : "memory", "cc");
  __VERIFIER_assume(seen == 0);
}

void release(void) {
#ifdef FENCE
  __asm__ volatile("mfence" ::: "memory");
#endif
  __asm__ volatile("movl $0, %0" : "=m"(lock) : : "memory");
}

void *worker(void *arg) {
  acquire();
  count++;
  release();
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
