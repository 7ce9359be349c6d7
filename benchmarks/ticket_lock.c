// A ticket lock: draw a ticket, wait until it is served.
//
// run: -DACQ=relaxed -DREL=relaxed --unwind 1
// expect: sc,tso=SAFE pso,rmo,alpha,power2010,power=UNSAFE
//
// run: -DACQ=acquire -DREL=release --unwind 1
// expect: sc,tso,pso,rmo,alpha,power=SAFE power2010=UNSAFE
//
// run: -DACQ=seq_cst -DREL=seq_cst --unwind 1
// expect: all=SAFE

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifndef ACQ
#define ACQ acquire
#endif
#ifndef REL
#define REL release
#endif
#define ORDER_(o) memory_order_##o
#define ORDER(o) ORDER_(o)

atomic_int next, serving;
int count;
_Thread_local int mine;

static void lock(void) {
  mine = atomic_fetch_add_explicit(&next, 1, memory_order_relaxed);
  while (atomic_load_explicit(&serving, ORDER(ACQ)) != mine) {
  }
}

static void unlock(void) {
  atomic_store_explicit(&serving, mine + 1, ORDER(REL));
}

void *worker(void *arg) {
  lock();
  int seen = count;
  count = seen + 1;
  unlock();
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
