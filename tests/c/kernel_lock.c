// A spin lock and a reference count of the kernel's.
//
// expect: sc,tso,pso,rmo,alpha,power=SAFE power2010=UNSAFE
//
// run: -DUNLOCKED
// expect: all=UNSAFE

#include <kernel.h>
#include <pthread.h>

DEFINE_SPINLOCK(lock);
atomic_t users = ATOMIC_INIT(2);
int count, freed;

static void put(void) {
#ifndef UNLOCKED
  spin_lock(&lock);
#endif
  count++;
#ifndef UNLOCKED
  spin_unlock(&lock);
#endif
  if (atomic_dec_and_test(&users)) {
    BUG_ON(count != 2);
    freed++;
  }
}

void *other(void *arg) {
  put();
  return 0;
}

int main(void) {
  pthread_t t;
  pthread_create(&t, 0, other, 0);
  put();
  pthread_join(t, 0);
  BUG_ON(freed != 1 || atomic_read(&users) != 0);
  return 0;
}
