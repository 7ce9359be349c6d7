// A ring of as many numbers as an input says, filled and emptied by any number of threads under a lock.
// -DLATE wraps around one too late, -DUNLOCKED reads without the lock.
//
// run: --check memory,misuse
// expect: sc=SAFE tso=SAFE pso=SAFE rc11=SAFE aarch64=SAFE riscv=SAFE power=SAFE
//
// run: --check memory,misuse --unwind 3 -DLATE
// expect: sc=UNSAFE tso=UNSAFE
//
// run: --check memory,misuse --unwind 3 -DUNLOCKED
// expect: sc=UNSAFE

#include <pthread.h>
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

int size, first, used;
int *ring;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

#ifdef LATE
#define END (size + 1)
#else
#define END size
#endif

void put(int item) {
  pthread_mutex_lock(&lock);
  if (used < size) {
    int at = used < size - first ? first + used : used - (size - first);
    ring[at] = item;
    used++;
  }
  pthread_mutex_unlock(&lock);
}

int get(void) {
  int item = 0;
#ifndef UNLOCKED
  pthread_mutex_lock(&lock);
#endif
  if (used > 0) {
    item = ring[first];
    first++;
    if (first == END) first = 0;
    used--;
  }
#ifndef UNLOCKED
  pthread_mutex_unlock(&lock);
#endif
  return item;
}

void *worker(void *arg) {
  for (;;) {
    put(__VERIFIER_nondet_int());
    get();
  }
}

int main(void) {
  pthread_t t;
  size = __VERIFIER_nondet_int();
  if (size < 1 || size > 1000) return 0;
  ring = malloc(size * sizeof *ring);
  if (!ring) return 0;
  for (;;) pthread_create(&t, 0, worker, 0);
}
