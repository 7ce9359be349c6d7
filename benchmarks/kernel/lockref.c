// A counter and the lock that protects its object in one word: nobody gets a reference to an object that is
// dead, and the object dies once (lib/lockref.c, include/linux/lockref.h).
//
// CONFIG_ARCH_USE_CMPXCHG_LOCKREF=1: the counter is changed by a compare-and-exchange of lock and counter
// UNDEAD: the last owner forgets to mark the object
#include "include/linux/lockref.h"
#include "lib/lockref.c"
#include <pthread.h>

static struct lockref ref = { .count = 1 };
static int freed;

static void *owner(void *unused) {
  if (!lockref_put_or_lock(&ref)) {
#ifdef UNDEAD
    ref.count--;
#else
    lockref_mark_dead(&ref);
#endif
    spin_unlock(&ref.lock);
    WRITE_ONCE(freed, READ_ONCE(freed) + 1);
  }
  return unused;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, 0, owner, 0);
  if (lockref_get_not_dead(&ref)) {
    assert(!READ_ONCE(freed));
    owner(0);
  }
  pthread_join(thread, 0);
  assert(freed == 1);
  return 0;
}
