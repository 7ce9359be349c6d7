// A ticket lock in one word: a ticket is taken by adding to the whole, the lock is given on by writing
// the half that says whose turn it is.
//
// run: --unwind 3
// expect: sc,tso,pso,rmo,alpha,power=HOLDS power2010=UNSAFE
// run: --unwind 3 -DRELAXED
// expect: sc,tso=HOLDS pso,rmo,alpha,power,power2010=UNSAFE
// run: --unwind 3 -DNO_TURN
// expect: all=UNSAFE
#include <assert.h>
#include <pthread.h>
#include <stdint.h>

#ifdef RELAXED
#define RELEASE __ATOMIC_RELAXED
#else
#define RELEASE __ATOMIC_RELEASE
#endif

union {
  uint32_t both;
  struct {
    uint16_t turn, next;
  } ticket;
} lock;

int count;

void *worker(void *arg) {
  uint32_t mine = __atomic_fetch_add(&lock.both, 0x10000, __ATOMIC_ACQUIRE);
  uint16_t turn = mine;
#ifndef NO_TURN
  while (turn != mine >> 16) {
    turn = __atomic_load_n(&lock.ticket.turn, __ATOMIC_ACQUIRE);
  }
#endif
  count = count + 1;
  __atomic_store_n(&lock.ticket.turn, turn + 1, RELEASE);
  return 0;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, worker, 0);
  pthread_create(&b, 0, worker, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  assert(count == 2);
  return 0;
}
