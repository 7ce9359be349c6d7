// A reader of a pointer in a critical section of SRCU, and a writer that frees what the reader may still use.
//
// run:
// expect: lkmm=SAFE
//
// The writer waits for the sections of another domain.
// run: -DOTHER
// expect: lkmm=UNSAFE
//
// A grace period of RCU does not wait for sections of SRCU.
// run: -DRCU
// expect: lkmm=UNSAFE
//
// The section ends before the second access.
// run: -DSHORT
// expect: lkmm=UNSAFE

#include <kernel.h>
#include <pthread.h>

struct item { int alive; } first = { 1 }, second = { 1 };
struct item *current = &first;
DEFINE_SRCU(domain);
DEFINE_SRCU(other);

void *reader(void *unused) {
  int index = srcu_read_lock(&domain);
  struct item *it = srcu_dereference(current, &domain);
#ifdef SHORT
  srcu_read_unlock(&domain, index);
#endif
  assert(READ_ONCE(it->alive));
#ifndef SHORT
  srcu_read_unlock(&domain, index);
#endif
  return 0;
}

void *writer(void *unused) {
  struct item *old = READ_ONCE(current);
  rcu_assign_pointer(current, &second);
#if defined OTHER
  synchronize_srcu(&other);
#elif defined RCU
  synchronize_rcu();
#else
  synchronize_srcu(&domain);
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
