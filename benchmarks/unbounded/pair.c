// Two buffers, of which one is read and one is written; they are exchanged under a lock.
// -DTHIRD lets the number of the buffer run on.
//
// run: --check memory,misuse,race
// expect: sc=SAFE tso=SAFE pso=SAFE rc11=SAFE aarch64=SAFE riscv=SAFE power=SAFE
//
// run: --check memory --unwind 3 -DTHIRD
// expect: sc=UNSAFE tso=UNSAFE rc11=UNSAFE aarch64=UNSAFE

#include <pthread.h>

extern int __VERIFIER_nondet_int(void);
extern unsigned __VERIFIER_nondet_uint(void);

int buffers[2][64];
int front;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void *painter(void *arg) {
  for (;;) {
    unsigned i = __VERIFIER_nondet_uint() % 64;
    pthread_mutex_lock(&lock);
    buffers[1 - front][i] = __VERIFIER_nondet_int();
    pthread_mutex_unlock(&lock);
  }
}

void *viewer(void *arg) {
  for (;;) {
    unsigned i = __VERIFIER_nondet_uint() % 64;
    pthread_mutex_lock(&lock);
    int seen = buffers[front][i];
#ifdef THIRD
    front++;
#else
    front = 1 - front;
#endif
    pthread_mutex_unlock(&lock);
    if (seen) return 0;
  }
}

int main(void) {
  pthread_t t;
  for (;;) pthread_create(&t, 0, __VERIFIER_nondet_int() ? painter : viewer, 0);
}
