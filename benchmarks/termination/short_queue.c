// A consumer waits for two items of a ring. -DONE sends one.
//
// run: --check termination
// expect: all=SAFE
//
// run: --check termination -DONE
// expect: all=UNSAFE

#include <pthread.h>
#include <stdatomic.h>

atomic_int head;
int ring[2];

void *producer(void *arg) {
  ring[0] = 1;
  atomic_store_explicit(&head, 1, memory_order_release);
#ifndef ONE
  ring[1] = 2;
  atomic_store_explicit(&head, 2, memory_order_release);
#endif
  return 0;
}

void *consumer(void *arg) {
  int sum = 0;
  for (int i = 0; i < 2; i++) {
    while (atomic_load_explicit(&head, memory_order_acquire) <= i) {
    }
    sum += ring[i];
  }
  return 0;
}

int main(void) {
  pthread_t t[2];
  pthread_create(&t[0], 0, producer, 0);
  pthread_create(&t[1], 0, consumer, 0);
  pthread_join(t[0], 0);
  pthread_join(t[1], 0);
  return 0;
}
