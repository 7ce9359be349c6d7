// A baton is handed from one thread to a second one, which both write to it, and on to any number of others, which look at it.
// -DEARLY hands it on before the second has written, -DSKIP lets the others look when the first has handed it on.
//
// run: --check race
// expect: sc=SAFE tso=SAFE pso=SAFE rc11=SAFE aarch64=SAFE riscv=SAFE power=SAFE
//
// run: --check race --unwind 2 -DEARLY
// expect: sc=UNSAFE tso=UNSAFE rc11=UNSAFE aarch64=UNSAFE
//
// run: --check race --unwind 2 -DSKIP
// expect: sc=UNSAFE tso=UNSAFE rc11=UNSAFE aarch64=UNSAFE

#include <pthread.h>
#include <stdatomic.h>

int baton;
atomic_int first_done;
int second_done;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t changed = PTHREAD_COND_INITIALIZER;

static void announce(void) {
  pthread_mutex_lock(&lock);
  second_done = 1;
  pthread_cond_broadcast(&changed);
  pthread_mutex_unlock(&lock);
}

void *first(void *arg) {
  baton = 10;
  atomic_store_explicit(&first_done, 1, memory_order_release);
  return 0;
}

void *second(void *arg) {
  while (!atomic_load_explicit(&first_done, memory_order_acquire)) {}
#ifdef EARLY
  announce();
#endif
  baton = baton + 5;
#ifndef EARLY
  announce();
#endif
  return 0;
}

void *spectator(void *arg) {
#ifdef SKIP
  while (!atomic_load_explicit(&first_done, memory_order_acquire)) {}
#else
  pthread_mutex_lock(&lock);
  while (!second_done) pthread_cond_wait(&changed, &lock);
  pthread_mutex_unlock(&lock);
#endif
  return baton >= 10 ? arg : 0;
}

int main(void) {
  pthread_t t;
  pthread_create(&t, 0, first, 0);
  pthread_create(&t, 0, second, 0);
  for (;;) pthread_create(&t, 0, spectator, 0);
}
