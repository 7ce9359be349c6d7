// A number that two locks guard: who changes it has both, who looks at it has one of them.
// -DONE changes it with one.
//
// run:
// expect: sc=SAFE tso=SAFE pso=SAFE rc11=SAFE aarch64=SAFE riscv=SAFE power=SAFE
//
// run: --unwind 1 -DONE
// expect: sc=UNSAFE tso=UNSAFE rc11=UNSAFE aarch64=UNSAFE

#include <assert.h>
#include <pthread.h>

extern int __VERIFIER_nondet_int(void);

int value, copy;
pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;

void *writer(void *arg) {
  for (;;) {
#ifndef ONE
    pthread_mutex_lock(&a);
#endif
    pthread_mutex_lock(&b);
    value = copy = __VERIFIER_nondet_int();
    pthread_mutex_unlock(&b);
#ifndef ONE
    pthread_mutex_unlock(&a);
#endif
  }
}

void *reader(void *arg) {
  for (;;) {
    pthread_mutex_lock(&a);
    int seen = value;
    assert(seen == value);
    pthread_mutex_unlock(&a);
  }
}

int main(void) {
  pthread_t t;
  for (;;) {
    if (__VERIFIER_nondet_int()) pthread_create(&t, 0, reader, 0);
    else pthread_create(&t, 0, writer, 0);
  }
}
