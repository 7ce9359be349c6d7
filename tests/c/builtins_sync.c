// The families of atomic builtins on one counter: none loses an update.
//
// expect: all=SAFE

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

int a, b;
atomic_int c;
_Atomic unsigned char d;

static void work(void) {
  __sync_fetch_and_add(&a, 2);
  __sync_sub_and_fetch_4(&a, 1);
  int old = __atomic_load_n(&b, __ATOMIC_RELAXED);
  while (!__atomic_compare_exchange_n(&b, &old, old + 1, 1, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
    ;
  int seen = atomic_load(&c);
  while (!atomic_compare_exchange_weak(&c, &seen, seen + 1))
    ;
  d += 255;
  atomic_signal_fence(memory_order_seq_cst);
}

void *other(void *arg) {
  work();
  return 0;
}

int main(void) {
  pthread_t t;
  pthread_create(&t, 0, other, 0);
  work();
  pthread_join(t, 0);
  assert(a == 2 && b == 2 && c == 2 && d == 254);
  assert(atomic_is_lock_free(&c) && __atomic_always_lock_free(4, 0));
  assert(__sync_lock_test_and_set(&a, 9) == 2 && __sync_bool_compare_and_swap(&a, 9, 1));
  assert(__sync_val_compare_and_swap(&a, 1, 0) == 1 && __sync_nand_and_fetch(&a, 1) == -1);
  __sync_lock_release(&a);
  assert(a == 0 && atomic_exchange(&c, 5) == 2 && atomic_fetch_xor(&c, 1) == 5 && c == 4);
  return 0;
}
