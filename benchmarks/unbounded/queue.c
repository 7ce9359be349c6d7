// A queue of as many numbers as an input says, with two conditions; any number of threads on both sides.
// -DIF looks once whether there is room.
//
// run: --check assert,race,misuse
// expect: sc=SAFE tso=SAFE pso=SAFE rc11=SAFE aarch64=SAFE riscv=SAFE power=SAFE
//
// run: --check assert --unwind 3 -DIF
// expect: sc=UNSAFE tso=UNSAFE rc11=UNSAFE aarch64=UNSAFE

#include <assert.h>
#include <pthread.h>

extern int __VERIFIER_nondet_int(void);

int room, count;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t more = PTHREAD_COND_INITIALIZER, less = PTHREAD_COND_INITIALIZER;

#ifdef IF
#define AWAIT(condition, changed) if (!(condition)) pthread_cond_wait(&changed, &lock)
#else
#define AWAIT(condition, changed) while (!(condition)) pthread_cond_wait(&changed, &lock)
#endif

void *producer(void *arg) {
  for (;;) {
    pthread_mutex_lock(&lock);
    AWAIT(count < room, less);
    count++;
    assert(count <= room);
    pthread_cond_signal(&more);
    pthread_mutex_unlock(&lock);
  }
}

void *consumer(void *arg) {
  for (;;) {
    pthread_mutex_lock(&lock);
    AWAIT(count > 0, more);
    count--;
    assert(count >= 0);
    pthread_cond_signal(&less);
    pthread_mutex_unlock(&lock);
  }
}

int main(void) {
  pthread_t t;
  room = __VERIFIER_nondet_int();
  if (room < 1) return 0;
  for (;;) pthread_create(&t, 0, __VERIFIER_nondet_int() ? producer : consumer, 0);
}
