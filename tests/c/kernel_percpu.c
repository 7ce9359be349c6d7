// Variables of processors: every thread has its own, and one adds them up. Callbacks behind a grace period.
//
// run: -DCOUNT
// expect: lkmm=SAFE
//
// All count on one processor.
// run: -DCOUNT -DSHARED
// expect: lkmm=UNSAFE
//
// run: -DALLOCATED --check assert,memory
// expect: lkmm=SAFE
//
// More threads than processors.
// run: -DCOUNT -DNR_CPUS=2
// expect: lkmm=UNKNOWN
//
// run: -DCALLBACK --check assert,memory
// expect: lkmm=SAFE
//
// run: -DCALLBACK -DAT_ONCE --check assert,memory
// expect: lkmm=UNSAFE
//
// run: -DBARRIER
// expect: lkmm=SAFE
//
// run: -DBARRIER -DNO_BARRIER
// expect: lkmm=UNSAFE

#include <linux/percpu.h>
#include <linux/rcupdate.h>
#include <pthread.h>

#if defined(COUNT) || defined(ALLOCATED)
struct counter { int calls, steps; };
#ifdef ALLOCATED
static struct counter __percpu *counters;
#else
static DEFINE_PER_CPU(struct counter, counter);
#define counters (&counter)
#endif
static void *count(void *unused) {
#ifdef SHARED
  struct counter *own = per_cpu_ptr(counters, 0);
#else
  struct counter *own = this_cpu_ptr(counters);
#endif
  WRITE_ONCE(own->calls, READ_ONCE(own->calls) + 1);
  return unused;
}
int main(void) {
  pthread_t threads[2];
  int cpu, sum = 0;
#ifdef ALLOCATED
  counters = alloc_percpu(struct counter);
#endif
  pthread_create(&threads[0], 0, count, 0);
  pthread_create(&threads[1], 0, count, 0);
  count(0);
  pthread_join(threads[0], 0);
  pthread_join(threads[1], 0);
  for_each_possible_cpu(cpu) sum += per_cpu_ptr(counters, cpu)->calls;
  assert(sum == 3);
#ifdef ALLOCATED
  free_percpu(counters);
#endif
  return 0;
}
#elif defined(CALLBACK)
struct object { int value; struct rcu_head head; };
static struct object *shared;
static void *reader(void *unused) {
  rcu_read_lock();
  struct object *o = rcu_dereference(shared);
  if (o) assert(READ_ONCE(o->value) == 4);
  rcu_read_unlock();
  return unused;
}
int main(void) {
  pthread_t thread;
  struct object *o = malloc(sizeof *o);
  o->value = 4;
  shared = o;
  pthread_create(&thread, 0, reader, 0);
  rcu_assign_pointer(shared, (struct object *)0);
#ifdef AT_ONCE
  kfree(o);
#else
  kfree_rcu(o, head);
#endif
  pthread_join(thread, 0);
  return 0;
}
#else
static struct rcu_head head;
static int called;
static void callback(struct rcu_head *h) {
  assert(h == &head);
  WRITE_ONCE(called, 1);
}
int main(void) {
  call_rcu(&head, callback);
#ifndef NO_BARRIER
  rcu_barrier();
#endif
  assert(READ_ONCE(called));
  return 0;
}
#endif
