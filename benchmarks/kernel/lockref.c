// A counter and the lock of its object in one word: nobody gets a reference to an object that is dead, and
// the object dies once (lib/lockref.c, include/linux/lockref.h). Without contention the counter changes by
// relaxed operations: they do not order what is done with the object, for which its users have RCU. The use
// here begins and ends with full barriers.
//
// ONE_WORD:  the counter changes by a compare-and-exchange of lock and counter
// UNORDERED: the use has no barriers
// UNDEAD:    the last owner forgets to mark the object
#ifdef ONE_WORD
#define CONFIG_ARCH_USE_CMPXCHG_LOCKREF 1
#endif
#include "include/linux/lockref.h"
#include "lib/lockref.c"
#include <pthread.h>

#ifdef UNORDERED
#define use_barrier() barrier()
#else
#define use_barrier() smp_mb()
#endif
static struct lockref ref = { .count = 1 };
static int freed;

static void *give_up(void *unused) {
  use_barrier();
  if (!lockref_put_or_lock(&ref)) {
#ifdef UNDEAD
    ref.count--;
#else
    lockref_mark_dead(&ref);
#endif
    spin_unlock(&ref.lock);
    use_barrier();
    WRITE_ONCE(freed, READ_ONCE(freed) + 1);
  }
  return unused;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, 0, give_up, 0);
  if (lockref_get_not_dead(&ref)) {
    use_barrier();
    assert(!READ_ONCE(freed));
    give_up(0);
  }
  pthread_join(thread, 0);
  assert(freed == 1);
  return 0;
}
