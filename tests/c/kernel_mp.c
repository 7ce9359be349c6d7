// The kernel's ways to pass a message: barriers in pairs, release and acquire, RCU; plain
// READ_ONCE and WRITE_ONCE are not enough.
//
// run: -DONCE
// expect: sc,tso=SAFE pso,rmo,alpha,power2010,power=UNSAFE
//
// run: -DBARRIERS
// expect: sc,tso,pso,rmo,alpha,power=SAFE power2010=UNSAFE
//
// run: -DRELEASE
// expect: sc,tso,pso,rmo,alpha,power=SAFE power2010=UNSAFE
//
// run: -DRCU
// expect: sc,tso,pso,rmo,power=SAFE alpha,power2010=UNSAFE

#include <kernel.h>
#include <pthread.h>

int data, flag, *pointer;

void *writer(void *arg) {
#if defined RCU
  WRITE_ONCE(data, 1);
  rcu_assign_pointer(pointer, &data);
#elif defined RELEASE
  WRITE_ONCE(data, 1);
  smp_store_release(&flag, 1);
#else
  WRITE_ONCE(data, 1);
#ifdef BARRIERS
  smp_wmb();
#endif
  WRITE_ONCE(flag, 1);
#endif
  return 0;
}

int main(void) {
  pthread_t t;
  pthread_create(&t, 0, writer, 0);
#if defined RCU
  rcu_read_lock();
  int *p = rcu_dereference(pointer);
  if (p) BUG_ON(READ_ONCE(*p) != 1);
  rcu_read_unlock();
#elif defined RELEASE
  if (smp_load_acquire(&flag)) BUG_ON(READ_ONCE(data) != 1);
#else
  if (READ_ONCE(flag)) {
#ifdef BARRIERS
    smp_rmb();
#endif
    BUG_ON(READ_ONCE(data) != 1);
  }
#endif
  return 0;
}
