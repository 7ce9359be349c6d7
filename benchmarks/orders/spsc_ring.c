// A ring of one producer and one consumer. Every order is seq_cst.

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

enum { SIZE = 2 };
int slots[SIZE];
atomic_uint head, tail;

int put(int value) {
  unsigned at = atomic_load(&tail);
  if (at - atomic_load(&head) == SIZE)
    return 0;
  slots[at % SIZE] = value;
  atomic_store(&tail, at + 1);
  return 1;
}

int get(int *value) {
  unsigned at = atomic_load(&head);
  if (at == atomic_load(&tail))
    return 0;
  *value = slots[at % SIZE];
  atomic_store(&head, at + 1);
  return 1;
}

void *first(void *arg) {
  for (int i = 1; i <= 3; i++)
    put(i);
  return 0;
}

void *second(void *arg) {
  int last = 0, value;
  for (int i = 0; i < 2; i++)
    if (get(&value)) {
      assert(value > last);
      last = value;
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
