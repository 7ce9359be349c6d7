// A cell of the bounded queue of Vyukov: its sequence number says whose turn it is. Every order is seq_cst.

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

int value;
atomic_uint sequence, tail, head;

void *first(void *arg) {
  unsigned at = atomic_load(&tail);
  if (atomic_load(&sequence) == at && atomic_compare_exchange_strong(&tail, &at, at + 1)) {
    value = 1;
    atomic_store(&sequence, at + 1);
  }
  return 0;
}

void *second(void *arg) {
  unsigned at = atomic_load(&head);
  if (atomic_load(&sequence) == at + 1 && atomic_compare_exchange_strong(&head, &at, at + 1)) {
    assert(value == 1);
    value = 0;
    atomic_store(&sequence, at + 2);
  }
  return 0;
}

int main(void) {
  pthread_t t, u;
  pthread_create(&t, 0, first, 0);
  pthread_create(&u, 0, second, 0);
  pthread_join(t, 0);
  pthread_join(u, 0);
  return 0;
}
