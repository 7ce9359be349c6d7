// A ticket lock with five threads, and no race. -DBROKEN calls the next one without a release.
//
// run: --check assert,race
// expect: sc,tso,power,aarch64,riscv,rc11=SAFE
//
// run: --check race -DBROKEN -DN=2
// expect: sc,tso,power,aarch64,riscv,rc11=UNSAFE

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifndef N
#define N 5
#endif

#ifdef BROKEN
#define CALL memory_order_relaxed
#else
#define CALL memory_order_release
#endif

atomic_int next, serving;
int shared;

void *worker(void *arg) {
  int mine = atomic_fetch_add_explicit(&next, 1, memory_order_relaxed);
  while (atomic_load_explicit(&serving, memory_order_acquire) != mine)
    ;
  shared++;
  int now = atomic_load_explicit(&serving, memory_order_relaxed);
  atomic_store_explicit(&serving, now + 1, CALL);
  return 0;
}

int main(void) {
  pthread_t t[N];
  for (int i = 0; i < N; i++)
    pthread_create(&t[i], 0, worker, 0);
  for (int i = 0; i < N; i++)
    pthread_join(t[i], 0);
  assert(shared == N);
  return 0;
}
