// A signal that nobody waits for is lost, and with it whoever waits afterwards without looking.
//
// run: --check deadlock --unwind 1
// expect: all=HOLDS
//
// run: --check deadlock -DBLIND
// expect: all=UNSAFE
//
// run: --check deadlock --unwind 1 -DSILENT
// expect: all=UNSAFE
//
// run: --check deadlock --unwind 1 -DUNLOCKED
// expect: all=UNSAFE
//
// run: --check deadlock --unwind 2 -DTWO -DWAKE=broadcast
// expect: sc,tso,pso=HOLDS
//
// run: --check deadlock --unwind 2 -DTWO -DWAKE=signal
// expect: sc,tso,pso=UNSAFE

#include <pthread.h>

#ifndef WAKE
#define WAKE signal
#endif
#define PASTE(a, b) a##b
#define NAME(a, b) PASTE(a, b)

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t c = PTHREAD_COND_INITIALIZER;
_Atomic int ready;

void *waiter(void *arg) {
  pthread_mutex_lock(&m);
#ifdef BLIND
  pthread_cond_wait(&c, &m);
#else
  while (!ready)
    pthread_cond_wait(&c, &m);
#endif
  pthread_mutex_unlock(&m);
  return 0;
}

int main(void) {
  pthread_t t0, t1;
  pthread_create(&t0, 0, waiter, 0);
#ifdef TWO
  pthread_create(&t1, 0, waiter, 0);
#endif
#ifdef UNLOCKED
  ready = 1;
#else
  pthread_mutex_lock(&m);
  ready = 1;
#endif
#ifndef SILENT
  NAME(pthread_cond_, WAKE)(&c);
#endif
#ifndef UNLOCKED
  pthread_mutex_unlock(&m);
#endif
  pthread_join(t0, 0);
#ifdef TWO
  pthread_join(t1, 0);
#endif
  return 0;
}
