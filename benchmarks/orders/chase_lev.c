// The work-stealing deque of Chase and Lev: the owner takes what it has pushed, a thief steals. Every order is seq_cst.

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

atomic_int top, bottom, slots[2];
atomic_int taken[3];

void push(int value) {
  int b = atomic_load(&bottom);
  int t = atomic_load(&top);
  if (b - t > 1)
    return;
  atomic_store(&slots[b % 2], value);
  atomic_thread_fence(memory_order_seq_cst);
  atomic_store(&bottom, b + 1);
}

int take(void) {
  int b = atomic_load(&bottom) - 1;
  atomic_store(&bottom, b);
  atomic_thread_fence(memory_order_seq_cst);
  int t = atomic_load(&top);
  int value = 0;
  if (t <= b) {
    value = atomic_load(&slots[b % 2]);
    if (t == b) {
      if (!atomic_compare_exchange_strong(&top, &t, t + 1))
        value = 0;
      atomic_store(&bottom, b + 1);
    }
  } else
    atomic_store(&bottom, b + 1);
  return value;
}

int steal(void) {
  int t = atomic_load(&top);
  atomic_thread_fence(memory_order_seq_cst);
  int b = atomic_load(&bottom);
  int value = 0;
  if (t < b) {
    value = atomic_load(&slots[t % 2]);
    if (!atomic_compare_exchange_strong(&top, &t, t + 1))
      value = 0;
  }
  return value;
}

int owner_has[3], thief_has[3];
int data[3];

void *thief(void *arg) {
  for (int i = 0; i < 2; i++) {
    int value = steal();
    if (value) {
      assert(data[value] == value);
      thief_has[value]++;
    }
  }
  return 0;
}

int main(void) {
  pthread_t t;
  pthread_create(&t, 0, thief, 0);
  data[1] = 1;
  push(1);
  data[2] = 2;
  push(2);
  owner_has[take()]++;
  owner_has[take()]++;
  pthread_join(t, 0);
  assert(owner_has[1] + thief_has[1] == 1);
  assert(owner_has[2] + thief_has[2] == 1);
  return 0;
}
