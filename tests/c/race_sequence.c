// A release sequence: the read-modify-write of a thread in between, relaxed as it is, passes on
// what the release before it published; a plain store in between does not.
//
// run: --check race -DBETWEEN=atomic_fetch_add_explicit(&flag,1,memory_order_relaxed)
// expect: all=SAFE
//
// run: --check race -DBETWEEN=if(atomic_load_explicit(&flag,memory_order_relaxed)==1)atomic_store_explicit(&flag,2,memory_order_relaxed)
// expect: all=UNSAFE

#include <pthread.h>
#include <stdatomic.h>

int message;
atomic_int flag;

void *sender(void *arg) {
  message = 1;
  atomic_store_explicit(&flag, 1, memory_order_release);
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
