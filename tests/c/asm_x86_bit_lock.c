// Linux' lock in a bit: `lock; btsl` takes it and the carry says whether it was free; a plain store,
// or a locked `btrl`, gives it back.
//
// run: -DPLAIN
// expect: sc,tso=SAFE pso,rmo,alpha,power2010,power=UNSAFE
//
// run: -DLOCKED
// expect: all=SAFE
//
// run: -DBROKEN
// expect: all=UNSAFE

#include <assert.h>
#include <pthread.h>

int lock, count;

static int try_lock(int *word) {
  int taken = 1;
#ifdef BROKEN
  __asm__ volatile("btsl $0, %1\n\tjnc 1f\n\txorl %0, %0\n1:"
#else
  __asm__ volatile("lock; btsl $0, %1\n\tjnc 1f\n\txorl %0, %0\n1:"
#endif
                   : "+r"(taken), "+m"(*word) : : "memory", "cc");
  return taken;
}

static void unlock(int *word) {
#ifdef LOCKED
  __asm__ volatile("lock; btrl $0, %0" : "+m"(*word) : : "memory", "cc");
#else
  __asm__ volatile("movl $0, %0" : "=m"(*word) : : "memory");
#endif
}

void *worker(void *arg) {
  __VERIFIER_assume(try_lock(&lock));
  count++;
  unlock(&lock);
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
