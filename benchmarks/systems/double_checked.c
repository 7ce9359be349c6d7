// Double-checked initialisation (Schmidt and Harrison, PLoP 1996; "The 'Double-Checked Locking is
// Broken' Declaration", 2000): look without the lock, look again with it, construct, publish.
//
// Checked: whoever gets the object sees it constructed, and it is constructed once.
// With plain accesses (-DPLAIN) the pointer overtakes the fields on PSO and later, and Alpha alone
// could read the fields before the pointer; -DCONSUME releases, and relies on the address dependency
// that every model but Alpha keeps (power2010 lacks what pairs with the release).
//
// run: --unwind 3
// expect: sc,tso,pso,rmo,alpha,power=SAFE power2010=UNSAFE
//
// run: -DPLAIN --unwind 3
// expect: sc,tso=SAFE pso,rmo,alpha,power2010,power=UNSAFE
//
// run: -DCONSUME --unwind 3
// expect: sc,tso,pso,rmo,power=SAFE alpha,power2010=UNSAFE
//
// run: -DSTRONG --unwind 3
// expect: all=SAFE
//
// run: -DCHECK_ONCE --unwind 3
// expect: all=UNSAFE
//
// run: --check race --unwind 3
// expect: sc,tso,pso,rmo,alpha,power=SAFE
//
// run: --check race -DCONSUME --unwind 3
// expect: all=UNSAFE

#include "orders.h"
#include <assert.h>
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>

#ifndef THREADS
#define THREADS 3
#endif

#if defined PLAIN
#define get(p) (*(p))
#define set(p, v) (*(p) = (v))
#elif defined CONSUME
#define get(p) __atomic_load_n(p, __ATOMIC_RELAXED)
#define set(p, v) __atomic_store_n(p, v, RELEASE)
#else
#define get(p) __atomic_load_n(p, ACQUIRE)
#define set(p, v) __atomic_store_n(p, v, RELEASE)
#endif

struct singleton {
  int size;
  const char *name;
};

struct singleton *instance;
pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
int constructed;

static struct singleton *construct(void) {
  struct singleton *s = malloc(sizeof *s);
  s->size = 4;
  s->name = "only";
  constructed++;
  return s;
}

static struct singleton *get_instance(void) {
  struct singleton *s = get(&instance);
  if (s == NULL) {
    pthread_mutex_lock(&mutex);
#ifndef CHECK_ONCE
    s = get(&instance);
    if (s == NULL)
#endif
    {
      s = construct();
      set(&instance, s);
    }
    pthread_mutex_unlock(&mutex);
  }
  return s;
}

void *user(void *arg) {
  struct singleton *s = get_instance();
  assert(s->size == 4);
  assert(s->name != NULL && s->name[0] == 'o');
  return 0;
}

int main(void) {
  pthread_t threads[THREADS];
  for (int i = 0; i < THREADS; i++) {
    pthread_create(&threads[i], 0, user, 0);
  }
  for (int i = 0; i < THREADS; i++) {
    pthread_join(threads[i], 0);
  }
  assert(constructed == 1);
  return 0;
}
