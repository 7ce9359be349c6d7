// Accesses of different sizes race where they overlap, and nowhere else.
//
// run: --check race
// expect: all=UNSAFE
// run: --check race -DAPART
// expect: all=SAFE
// run: --check race -DLOCKED
// expect: all=SAFE
#include <pthread.h>
#include <stdint.h>

union {
  uint64_t whole;
  uint32_t half[2];
  uint8_t byte[8];
} x;

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void *other(void *arg) {
#ifdef LOCKED
  pthread_mutex_lock(&lock);
#endif
  x.byte[5] = 1;
#ifdef LOCKED
  pthread_mutex_unlock(&lock);
#endif
  return 0;
}

int main(void) {
  pthread_t t;
  pthread_create(&t, 0, other, 0);
#if defined APART
  x.half[0] = 2;
  x.byte[4] = 3;
#elif defined LOCKED
  pthread_mutex_lock(&lock);
  x.whole = 2;
  pthread_mutex_unlock(&lock);
#else
  x.half[1] = 2;
#endif
  pthread_join(t, 0);
  return x.whole == 0;
}
