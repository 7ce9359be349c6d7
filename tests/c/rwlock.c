// Readers see both halves of what a writer writes; a reader that writes excludes nobody.
//
// expect: all=SAFE
//
// run: -DREADER
// expect: all=UNSAFE

#include <assert.h>
#include <pthread.h>

pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
int a, b;

void *writer(void *arg) {
#ifdef READER
  pthread_rwlock_rdlock(&lock);
#else
  pthread_rwlock_wrlock(&lock);
#endif
  a = 1;
  b = 1;
  pthread_rwlock_unlock(&lock);
  return 0;
}

int main(void) {
  pthread_t t;
  pthread_create(&t, 0, writer, 0);
  pthread_rwlock_rdlock(&lock);
  int x = a, y = b;
  pthread_rwlock_unlock(&lock);
  assert(x == y);
  return 0;
}
