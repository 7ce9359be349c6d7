// A grace period waits for critical sections: it is in a deadlock with one that waits itself.
//
// run: --check deadlock -DMUTEX
// expect: lkmm=UNSAFE
//
// run: --check deadlock -DSELF
// expect: lkmm=UNSAFE
//
// run: --check deadlock -DOTHER
// expect: lkmm=SAFE
//
// run: --check deadlock
// expect: lkmm=SAFE

#include <kernel.h>
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int x;
DEFINE_STATIC_SRCU(ss);
DEFINE_STATIC_SRCU(other);

#if defined SELF
static void *reader(void *a) { return 0; }
static void *updater(void *a) {
  rcu_read_lock();
  WRITE_ONCE(x, 1);
  synchronize_rcu();
  rcu_read_unlock();
  return 0;
}
#elif defined MUTEX || defined OTHER
static void *reader(void *a) {
  int i = srcu_read_lock(&ss);
  pthread_mutex_lock(&m);
  x++;
  pthread_mutex_unlock(&m);
  srcu_read_unlock(&ss, i);
  return 0;
}
static void *updater(void *a) {
  pthread_mutex_lock(&m);
#ifdef OTHER
  synchronize_srcu(&other);
#else
  synchronize_srcu(&ss);
#endif
  x++;
  pthread_mutex_unlock(&m);
  return 0;
}
#else
static void *reader(void *a) {
  rcu_read_lock();
  int r = READ_ONCE(x);
  rcu_read_unlock();
  return 0;
}
static void *updater(void *a) {
  WRITE_ONCE(x, 1);
  synchronize_rcu();
  WRITE_ONCE(x, 2);
  return 0;
}
#endif

int main(void) {
  pthread_t t, u;
  pthread_create(&t, 0, reader, 0);
  pthread_create(&u, 0, updater, 0);
  pthread_join(t, 0);
  pthread_join(u, 0);
}
