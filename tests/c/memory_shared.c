// Objects that another thread frees.
//
// run: -DJOIN
// expect: all=SAFE
//
// run:
// expect: all=UNSAFE
//
// The encoding of 2010 does not order a write in front of lwsync and one behind a branch on what is
// read from behind it, of whatever kind.
// run: -DFLAG=release
// expect: sc,tso,pso,rmo,alpha,power=SAFE power2010=UNSAFE
//
// run: -DFLAG=relaxed
// expect: all=UNSAFE
//
// run: -DBOTH
// expect: all=UNSAFE
//
// run: -DCOUNT
// expect: sc,tso,pso,rmo,alpha,power=SAFE power2010=UNSAFE
//
// run: -DSTACK -DJOIN
// expect: all=SAFE
//
// run: -DSTACK
// expect: all=UNSAFE
//
// run: -DLOCK
// expect: all=SAFE

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#define PASTE(a, b) a##b
#define ORDER(o) PASTE(memory_order_, o)

struct object {
  int value;
  atomic_int users;
};

atomic_int done;
struct object *shared;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static void leave(struct object *o) {
  if (atomic_fetch_sub_explicit(&o->users, 1, memory_order_acq_rel) == 1)
    free(o);
}

void *user(void *arg) {
  struct object *o = arg;
#ifdef LOCK
  pthread_mutex_lock(&m);
  if (shared)
    shared->value++;
  pthread_mutex_unlock(&m);
#else
  o->value++;
#endif
#ifdef FLAG
  atomic_store_explicit(&done, 1, ORDER(FLAG));
#endif
#ifdef COUNT
  leave(o);
#endif
#ifdef BOTH
  free(o);
#endif
  return 0;
}

static pthread_t start(void) {
  pthread_t t;
#ifdef STACK
  struct object o;
  shared = &o;
#else
  shared = malloc(sizeof *shared);
#endif
  shared->value = 0;
  shared->users = 2;
  pthread_create(&t, 0, user, shared);
#if defined(STACK) && defined(JOIN)
  pthread_join(t, 0);
#endif
  return t;
}

int main(void) {
  pthread_t t = start();
#ifndef STACK
  struct object *mine = shared;
#ifdef JOIN
  pthread_join(t, 0);
#endif
#ifdef FLAG
  if (!atomic_load_explicit(&done, memory_order_acquire))
    return 0;
#endif
#if defined(COUNT)
  leave(mine);
#elif defined(LOCK)
  pthread_mutex_lock(&m);
  shared = 0;
  free(mine);
  pthread_mutex_unlock(&m);
#else
  free(mine);
#endif
#endif
  return 0;
}
