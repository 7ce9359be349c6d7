// The average of what any number of threads have measured so far.
// -DEMPTY divides before something was measured, -DUNLOCKED does so without the lock.
//
// run: --check assert,divzero,misuse
// expect: sc=SAFE tso=SAFE pso=SAFE rc11=SAFE aarch64=SAFE riscv=SAFE power=SAFE
//
// run: --check divzero --unwind 2 -DEMPTY
// expect: sc=UNSAFE tso=UNSAFE rc11=UNSAFE aarch64=UNSAFE

#include <assert.h>
#include <pthread.h>

extern unsigned char __VERIFIER_nondet_uchar(void);
extern int __VERIFIER_nondet_int(void);

unsigned sum, count;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void *measure(void *arg) {
  unsigned char now = __VERIFIER_nondet_uchar();
  pthread_mutex_lock(&lock);
  if (count < 1000) {
    sum += now;
    count++;
  }
  pthread_mutex_unlock(&lock);
  return 0;
}

void *show(void *arg) {
  pthread_mutex_lock(&lock);
#ifdef EMPTY
  unsigned average = sum / count;
#else
  unsigned average = count ? sum / count : 0;
#endif
  pthread_mutex_unlock(&lock);
  return average ? arg : 0;
}

int main(void) {
  pthread_t t;
  for (;;) {
    pthread_create(&t, 0, measure, 0);
    pthread_create(&t, 0, show, 0);
  }
}
