// An object made by whoever comes first: double-checked locking needs an atomic flag with orders.
//
// run: --check race -DRIGHT
// expect: sc,tso,pso,rmo,alpha,power=SAFE power2010=UNKNOWN
//
// (A release does not order the beginning of an object on power2010: what is read before it has no
// meaning where memory is not checked.)
//
// run: --check race -DRELAXED
// expect: all=UNSAFE
//
// run: --check race -DPLAIN
// expect: all=UNSAFE
//
// run: --check race -DONCE
// expect: all=SAFE

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct thing {
  int value;
};

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
pthread_once_t once = PTHREAD_ONCE_INIT;
#ifdef PLAIN
struct thing *shared;
#define LOOK shared
#define PUBLISH(p) shared = p
#else
struct thing *_Atomic shared;
#ifdef RIGHT
#define LOOK atomic_load_explicit(&shared, memory_order_acquire)
#define PUBLISH(p) atomic_store_explicit(&shared, p, memory_order_release)
#else
#define LOOK atomic_load_explicit(&shared, memory_order_relaxed)
#define PUBLISH(p) atomic_store_explicit(&shared, p, memory_order_relaxed)
#endif
#endif

static void make(void) {
  struct thing *p = malloc(sizeof *p);
  p->value = 7;
  PUBLISH(p);
}

static struct thing *get(void) {
#ifdef ONCE
  pthread_once(&once, make);
  return LOOK;
#else
  struct thing *p = LOOK;
  if (!p) {
    pthread_mutex_lock(&m);
    p = LOOK;
    if (!p) {
      make();
      p = LOOK;
    }
    pthread_mutex_unlock(&m);
  }
  return p;
#endif
}

void *thread(void *arg) {
  return (void *)(long)get()->value;
}

int main(void) {
  pthread_t t0, t1;
  pthread_create(&t0, 0, thread, 0);
  pthread_create(&t1, 0, thread, 0);
  return 0;
}
