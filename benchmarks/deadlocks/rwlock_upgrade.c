// A reader that asks for the write lock waits for all readers, itself included. -DREPAIRED gives
// the read lock back first, and looks again.
//
// run: --check deadlock
// expect: all=UNSAFE
//
// run: --check deadlock -DREPAIRED
// expect: all=SAFE

#include <pthread.h>

pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
int filled;

static void use(void) {
  pthread_rwlock_rdlock(&lock);
  if (!filled) {
#ifdef REPAIRED
    pthread_rwlock_unlock(&lock);
#endif
    pthread_rwlock_wrlock(&lock);
    if (!filled) {
      filled = 1;
    }
  }
  pthread_rwlock_unlock(&lock);
}

void *other(void *arg) {
  use();
  return 0;
}

int main(void) {
  pthread_t t;
  pthread_create(&t, 0, other, 0);
  use();
  pthread_join(t, 0);
  return 0;
}
