// The reader of a sequence lock waits for an even number. With -DDIES the writer returns in the middle of its update.
//
// run: --check termination
// expect: all=SAFE
//
// run: --check termination -DDIES
// expect: all=UNSAFE

#include <pthread.h>
#include <stdatomic.h>

extern int __VERIFIER_nondet_int(void);
atomic_uint sequence;
atomic_int data;

void *writer(void *arg) {
  atomic_store(&sequence, 1);
#ifdef DIES
  if (__VERIFIER_nondet_int())
    return 0;
#endif
  data = 7;
  atomic_store(&sequence, 2);
  return 0;
}

void *reader(void *arg) {
  unsigned before;
  int read;
  do {
    while ((before = atomic_load(&sequence)) & 1) {
    }
    read = data;
  } while (atomic_load(&sequence) != before);
  return 0;
}

int main(void) {
  pthread_t t[2];
  pthread_create(&t[0], 0, writer, 0);
  pthread_create(&t[1], 0, reader, 0);
  pthread_join(t[0], 0);
  pthread_join(t[1], 0);
  return 0;
}
