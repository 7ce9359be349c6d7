// A lock that is only tried may be missed; what it guards is guarded when it is not.
//
// expect: all=SAFE
//
// run: -DALWAYS
// expect: all=UNSAFE
//
// run: -DSPIN
// expect: all=SAFE
//
// run: -DFLAG
// expect: sc,tso,pso,rmo,alpha,power=SAFE power2010=UNSAFE

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
pthread_spinlock_t spin;
atomic_flag flag = ATOMIC_FLAG_INIT;
int x, done;

#if defined SPIN
#define TRY() (pthread_spin_trylock(&spin) == 0)
#define UNLOCK() pthread_spin_unlock(&spin)
#elif defined FLAG
#define TRY() (!atomic_flag_test_and_set_explicit(&flag, memory_order_acquire))
#define UNLOCK() atomic_flag_clear_explicit(&flag, memory_order_release)
#else
#define TRY() (pthread_mutex_trylock(&m) == 0)
#define UNLOCK() pthread_mutex_unlock(&m)
#endif

static int increment(void) {
  if (!TRY()) return 0;
  x++;
  UNLOCK();
  return 1;
}

void *other(void *arg) {
  done = increment();
  return 0;
}

int main(void) {
  pthread_t t;
  pthread_create(&t, 0, other, 0);
  int mine = increment();
  pthread_join(t, 0);
#ifdef ALWAYS
  assert(x == 2);
#else
  assert(x == mine + done && x >= 1);
#endif
  return 0;
}
