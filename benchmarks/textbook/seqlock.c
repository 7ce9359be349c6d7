// A sequence lock: the reader tries again when the writer was there. -DBROKEN does not look again.
//
// run:
// expect: sc,tso,power,aarch64,riscv,rc11=SAFE
//
// run: -DBROKEN
// expect: sc,tso,power,aarch64,riscv,rc11=UNSAFE

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

atomic_uint sequence;
atomic_int a, b;

void *writer(void *arg) {
  atomic_store(&sequence, 1);
  atomic_store(&a, 1);
  atomic_store(&b, 1);
  atomic_store(&sequence, 2);
  return 0;
}

int main(void) {
  pthread_t t;
  unsigned before;
  int x, y;
  pthread_create(&t, 0, writer, 0);
  do {
    before = atomic_load(&sequence);
    x = atomic_load(&a);
    y = atomic_load(&b);
#ifdef BROKEN
  } while (before & 1);
#else
  } while (before & 1 || atomic_load(&sequence) != before);
#endif
  assert(x == y);
  return 0;
}
