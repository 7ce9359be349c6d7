// A wait for a condition, and a thread that polls, which look at data that a mutex guards: they are proved
// without a bound, races included. Once the wait is over a third thread writes the data past the mutex, or
// under another one, or under one that it has made anew: that races with an iteration that was waited
// through.
//
// run: --check race
// expect: sc,tso,pso,rmo,alpha,power,power2010,aarch64,riscv,rc11=SAFE
//
// run: --check race -DPOLL
// expect: sc,tso,pso,rmo,alpha,power,power2010,aarch64,riscv,rc11=SAFE
//
// run: --check race -DBEFORE
// expect: sc,tso,pso,rmo,alpha,power,power2010,aarch64,riscv,rc11=SAFE
//
// run: --check race -DTRY
// expect: sc,tso,pso,rmo,alpha,power,power2010,aarch64,riscv,rc11=SAFE
//
// run: --check race -DPAST
// expect: sc,tso,pso,rmo,alpha,power,power2010,aarch64,riscv,rc11=UNSAFE
//
// run: --check race -DPAST -DPOLL
// expect: sc,tso,pso,rmo,alpha,power,power2010,aarch64,riscv,rc11=UNSAFE
//
// run: --check race -DOTHER
// expect: sc,tso,pso,rmo,alpha,power,power2010,aarch64,riscv,rc11=UNSAFE
//
// run: --check race -DANEW
// expect: sc,tso,pso,rmo,alpha,power,power2010,aarch64,riscv,rc11=UNSAFE

#include <pthread.h>
#include <stdatomic.h>

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, n = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t c = PTHREAD_COND_INITIALIZER;
int full, data;
atomic_int left;

void *consumer(void *arg) {
  pthread_mutex_lock(&m);
  while (!full) {
    int seen = data;
    (void)seen;
#ifdef POLL
    pthread_mutex_unlock(&m);
    pthread_mutex_lock(&m);
#else
    pthread_cond_wait(&c, &m);
#endif
  }
  pthread_mutex_unlock(&m);
  atomic_store_explicit(&left, 1, memory_order_relaxed);
  return 0;
}

void *producer(void *arg) {
  pthread_mutex_lock(&m);
  full = 1;
  pthread_cond_signal(&c);
  pthread_mutex_unlock(&m);
  return 0;
}

int main(void) {
  pthread_t t, u;
#ifdef BEFORE
  data = 1;
#endif
  pthread_create(&t, 0, consumer, 0);
  pthread_create(&u, 0, producer, 0);
  if (atomic_load_explicit(&left, memory_order_relaxed)) {
#if defined PAST
    data = 1;
#elif defined OTHER
    pthread_mutex_lock(&n);
    data = 1;
    pthread_mutex_unlock(&n);
#elif defined TRY
    if (pthread_mutex_trylock(&m) == 0) {
      data = 1;
      pthread_mutex_unlock(&m);
    }
#elif !defined BEFORE
#ifdef ANEW
    pthread_mutex_init(&m, 0);
#endif
    pthread_mutex_lock(&m);
    data = 1;
    pthread_mutex_unlock(&m);
#endif
  }
  pthread_join(t, 0);
  pthread_join(u, 0);
  return data;
}
