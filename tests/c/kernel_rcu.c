// Readers of a pointer in critical sections of RCU, and a writer that frees what they may still use.
//
// run:
// expect: lkmm=SAFE
//
// The writer does not wait for readers.
// run: -DNO_GRACE_PERIOD
// expect: lkmm=UNSAFE
//
// The section ends before the second access.
// run: -DSHORT
// expect: lkmm=UNSAFE
//
// An inner section that ends does not end the outer one.
// run: -DNESTED
// expect: lkmm=SAFE

#include <kernel.h>
#include <pthread.h>

struct item { int alive; } first = { 1 }, second = { 1 };
struct item *current = &first;

void *reader(void *unused) {
  rcu_read_lock();
#ifdef NESTED
  rcu_read_lock();
  rcu_read_unlock();
#endif
  struct item *it = rcu_dereference(current);
#ifdef SHORT
  rcu_read_unlock();
#endif
  assert(READ_ONCE(it->alive));
#ifndef SHORT
  rcu_read_unlock();
#endif
  return 0;
}

void *writer(void *unused) {
  struct item *old = READ_ONCE(current);
  rcu_assign_pointer(current, &second);
#ifndef NO_GRACE_PERIOD
  synchronize_rcu();
#endif
  WRITE_ONCE(old->alive, 0);
  return 0;
}

int main(void) {
  pthread_t r, w;
  pthread_create(&r, 0, reader, 0);
  pthread_create(&w, 0, writer, 0);
  pthread_join(r, 0);
  pthread_join(w, 0);
}
