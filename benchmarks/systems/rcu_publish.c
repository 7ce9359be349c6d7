// Read-copy-update as Linux documents it (Documentation/RCU/whatisRCU): foo_update_a() publishes a
// changed copy of a structure, foo_get_a() reads the one it finds. The CAV 2013 paper checks the
// same with the macros of Linux 3.2.21. With -DGRACE the old structure is freed after a grace
// period, which is the one of a flag a reader: full barriers around a scan of the flags.
//
// Checked: a reader sees a whole structure, an old or a new one, never half of a copy; with
// -DGRACE never a freed one either.
// A plain publication lets the pointer overtake the copy (from PSO on). Alpha reads the fields
// before the pointer that leads to them: the kernel gave it a barrier in rcu_dereference(), here
// -DDEPENDS. On power2010 reads-from is not global, and only full barriers everywhere (-DFULL) help,
// in the lock of the updaters, too.
//
// run: -DPLAIN --unwind 3
// expect: sc,tso=SAFE pso,rmo,alpha,power2010,power=UNSAFE
//
// run: --unwind 3
// expect: sc,tso,pso,rmo,power=SAFE alpha,power2010=UNSAFE
//
// run: -DDEPENDS --unwind 3
// expect: sc,tso,pso,rmo,alpha,power=SAFE power2010=UNSAFE
//
// run: -DFULL --unwind 3
// expect: all=SAFE
//
// run: -DFULL -DGRACE --unwind 3
// expect: all=SAFE
//
// run: -DFULL -DGRACE -DNO_WAIT --unwind 3
// expect: all=UNSAFE

#include <kernel.h>
#include <pthread.h>

#if defined DEPENDS || defined FULL
#undef rcu_dereference
#define rcu_dereference(p) ({ __typeof__(p) _p = READ_ONCE(p); smp_read_barrier(); _p; })
#endif
#if defined PLAIN
#define publish(p, v) WRITE_ONCE(p, v)
#elif defined FULL
#define publish(p, v) ({ smp_mb(); WRITE_ONCE(p, v); })
#define smp_read_barrier() smp_mb()
#else
#define publish(p, v) rcu_assign_pointer(p, v)
#define smp_read_barrier() smp_rmb()
#endif
#ifndef UPDATERS
#define UPDATERS 2
#endif
#ifndef READERS
#define READERS 2
#endif

struct foo {
  int a;
  char b;
  long c;
};

DEFINE_SPINLOCK(foo_mutex);
struct foo *gbl_foo;

static void update_lock(void) {
  spin_lock(&foo_mutex);
#ifdef FULL
  smp_mb__after_spinlock();
#endif
}

static void update_unlock(void) {
#ifdef FULL
  smp_mb();
#endif
  spin_unlock(&foo_mutex);
}

#ifdef GRACE
int reading[READERS];

void synchronize_rcu(void) {
  smp_mb();
#ifndef NO_WAIT
  for (int i = 0; i < READERS; i++) {
    while (READ_ONCE(reading[i])) {
      cpu_relax();
    }
  }
#endif
  smp_mb();
}

static void read_lock(int me) {
  WRITE_ONCE(reading[me], 1);
  smp_mb();
}

static void read_unlock(int me) {
  smp_mb();
  WRITE_ONCE(reading[me], 0);
}
#else
#define read_lock(me) rcu_read_lock()
#define read_unlock(me) rcu_read_unlock()
#endif

static void foo_update_a(int new_a) {
  struct foo *new_fp = kmalloc(sizeof(*new_fp), GFP_KERNEL);
  update_lock();
  struct foo *old_fp = rcu_dereference_protected(gbl_foo, 1);
  *new_fp = *old_fp;
  new_fp->a = new_a;
  publish(gbl_foo, new_fp);
  update_unlock();
#ifdef GRACE
  synchronize_rcu();
  old_fp->a = 0; /* kfree(old_fp), and what the allocator does with it */
#endif
}

static void foo_get(int me) {
  read_lock(me);
  struct foo *p = rcu_dereference(gbl_foo);
  BUG_ON(p->a < 1 || p->a > 1 + UPDATERS);
  BUG_ON(p->b != 2 || p->c != 3);
  read_unlock(me);
}

void *reader(void *arg) {
  int me = *(int *)arg;
  foo_get(me);
  return 0;
}

void *updater(void *arg) {
  foo_update_a(*(int *)arg);
  return 0;
}

int main(void) {
  struct foo first = {1, 2, 3};
  pthread_t up[UPDATERS], down[READERS];
  int new_a[UPDATERS], id[READERS];
  gbl_foo = &first;
  for (int i = 0; i < READERS; i++) {
    id[i] = i;
    pthread_create(&down[i], 0, reader, &id[i]);
  }
  for (int i = 0; i < UPDATERS; i++) {
    new_a[i] = 2 + i;
    pthread_create(&up[i], 0, updater, &new_a[i]);
  }
  for (int i = 0; i < READERS; i++) {
    pthread_join(down[i], 0);
  }
  for (int i = 0; i < UPDATERS; i++) {
    pthread_join(up[i], 0);
  }
  return 0;
}
