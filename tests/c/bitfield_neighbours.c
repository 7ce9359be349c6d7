// Two threads write neighbours in one storage unit: a write of one is a read-modify-write of both,
// so an update may be lost. An unnamed field of width 0 puts them apart.
//
// expect: all=UNSAFE
//
// run: -DAPART
// expect: all=SAFE

#include <assert.h>
#include <pthread.h>

struct {
  unsigned a : 4;
#ifdef APART
  unsigned : 0;
#endif
  unsigned b : 4;
} s;

void *other(void *arg) {
  s.b = 3;
  return 0;
}

int main(void) {
  pthread_t t;
  pthread_create(&t, 0, other, 0);
  s.a = 5;
  pthread_join(t, 0);
  assert(s.a == 5 && s.b == 3);
  return 0;
}
