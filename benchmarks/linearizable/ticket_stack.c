// A stack under a ticket lock. -DRELAXED releases the lock without an order. -DTWO_STEPS draws a ticket in two
// steps.
//
// run: --linearizable --parallel push(1),pop;push(2),pop
// expect: sc,rc11=SAFE
//
// run: --linearizable --parallel push(1),pop;push(2),pop;push(3),pop
// expect: sc,rc11=SAFE
//
// run: --linearizable --parallel push(1);push(2),pop,pop -DRELAXED
// expect: sc=SAFE rc11=UNSAFE
//
// run: --linearizable --parallel push(1);push(2),pop,pop -DTWO_STEPS
// expect: sc,rc11=UNSAFE

#include <stdatomic.h>

#define PLACES 4

#ifdef RELAXED
#define RELEASE memory_order_relaxed
#else
#define RELEASE memory_order_release
#endif

atomic_uint next, serving;
int values[PLACES];
int count;

static unsigned lock(void) {
#ifdef TWO_STEPS
  unsigned ticket = atomic_load_explicit(&next, memory_order_relaxed);
  atomic_store_explicit(&next, ticket + 1, memory_order_relaxed);
#else
  unsigned ticket = atomic_fetch_add_explicit(&next, 1, memory_order_relaxed);
#endif
  while (atomic_load_explicit(&serving, memory_order_acquire) != ticket)
    ;
  return ticket;
}

static void unlock(unsigned ticket) {
  atomic_store_explicit(&serving, ticket + 1, RELEASE);
}

// The stack is not full.
void push(int value) {
  unsigned ticket = lock();
  values[count++] = value;
  unlock(ticket);
}

// 0 if the stack is empty.
int pop(void) {
  unsigned ticket = lock();
  int value = count ? values[--count] : 0;
  unlock(ticket);
  return value;
}
