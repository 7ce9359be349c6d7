// A release sequence: the read-modify-write of a thread in between, relaxed as it is, passes on
// what the release before it published, and so does a later store of the thread that released (C11, 5.1.2.4p10);
// a store of another thread in between does not.
//
// run: --check race -DLATER=atomic_store_explicit(&flag,2,memory_order_relaxed)
// expect: all=SAFE rc11=SAFE aarch64=SAFE
//
// run: --check race -DLATER=(*(volatile_int*)&flag=2)
// expect: all=UNSAFE rc11=UNSAFE aarch64=UNSAFE
//
// run: --check race -DBETWEEN=atomic_fetch_add_explicit(&flag,1,memory_order_relaxed)
// expect: all=SAFE
//
// run: --check race -DBETWEEN=if(atomic_load_explicit(&flag,memory_order_relaxed)==1)atomic_store_explicit(&flag,2,memory_order_relaxed)
// expect: all=UNSAFE

#include <pthread.h>
#include <stdatomic.h>

#ifndef BETWEEN
#define BETWEEN
#endif
#ifndef LATER
#define LATER
#endif

int message;
atomic_int flag;
typedef volatile int volatile_int;

void *sender(void *arg) {
  message = 1;
  atomic_store_explicit(&flag, 1, memory_order_release);
  LATER;
  return 0;
}

void *between(void *arg) {
  BETWEEN;
  return 0;
}

void *receiver(void *arg) {
  if (atomic_load_explicit(&flag, memory_order_acquire) == 2)
    message = 2;
  return 0;
}

int main(void) {
  pthread_t s, b, r;
  pthread_create(&s, 0, sender, 0);
  pthread_create(&b, 0, between, 0);
  pthread_create(&r, 0, receiver, 0);
  return 0;
}
