// A release fence before a relaxed store and an acquire fence behind a relaxed read synchronise.
//
// run: --check race --unwind 1
// expect: all=SAFE

#include <pthread.h>
#include <stdatomic.h>

int message[2];
atomic_int flag;

void *sender(void *arg) {
  message[0] = 1;
  message[1] = 2;
  atomic_thread_fence(memory_order_release);
  atomic_store_explicit(&flag, 1, memory_order_relaxed);
  return 0;
}

int main(void) {
  pthread_t t;
  pthread_create(&t, 0, sender, 0);
  while (!atomic_load_explicit(&flag, memory_order_relaxed)) {
  }
  atomic_thread_fence(memory_order_acquire);
  int sum = message[0] + message[1];
  pthread_join(t, 0);
  return sum != 3;
}
