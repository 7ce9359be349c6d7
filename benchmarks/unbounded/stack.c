// A stack of eight numbers with a lock: what is pushed and popped is inside of the array, whoever does it.
// -DFULL looks for the wrong end, -DUNLOCKED pops without the lock.
//
// run: --check assert,memory,misuse
// expect: sc=SAFE tso=SAFE pso=SAFE rc11=SAFE aarch64=SAFE riscv=SAFE power=SAFE
//
// run: --check assert,memory,misuse --unwind 2 -DFULL -DSIZE=1
// expect: sc=UNSAFE tso=UNSAFE
//
// run: --check assert,memory,misuse --unwind 2 -DUNLOCKED
// expect: sc=UNSAFE tso=UNSAFE rc11=UNSAFE aarch64=UNSAFE

#include <assert.h>
#include <pthread.h>

#ifndef SIZE
#define SIZE 8
#endif

extern int __VERIFIER_nondet_int(void);

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int top;
int items[SIZE];

void push(int item) {
  pthread_mutex_lock(&lock);
#ifdef FULL
  if (top <= SIZE) items[top++] = item;
#else
  if (top < SIZE) items[top++] = item;
#endif
  pthread_mutex_unlock(&lock);
}

int pop(void) {
  int item = 0;
#ifndef UNLOCKED
  pthread_mutex_lock(&lock);
#endif
  if (top > 0) item = items[--top];
#ifndef UNLOCKED
  pthread_mutex_unlock(&lock);
#endif
  return item;
}

void *worker(void *arg) {
  while (__VERIFIER_nondet_int()) {
    push(__VERIFIER_nondet_int());
    pop();
  }
  return 0;
}

int main(void) {
  pthread_t t;
  for (;;) pthread_create(&t, 0, worker, 0);
}
