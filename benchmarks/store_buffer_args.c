// Store buffering between instances of one function that receive their flags through the thread
// argument: the shared cells are local variables of main, reached by pointers only.
//
// run: -DTHREADS=2 --unwind 3
// expect: sc=SAFE tso,pso,rmo,alpha,power2010,power=UNSAFE
//
// run: -DTHREADS=2 -DFENCED --unwind 3
// expect: all=SAFE
//
// run: -DTHREADS=3 --unwind 4
// expect: sc=SAFE tso,pso,rmo,alpha,power2010,power=UNSAFE
//
// run: -DTHREADS=3 -DFENCED --unwind 4
// expect: all=SAFE

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifndef THREADS
#define THREADS 2
#endif

struct view {
  int *own;
  int *next;
  int seen;
};

void *look(void *arg) {
  struct view *v = arg;
  *v->own = 1;
#ifdef FENCED
  atomic_thread_fence(memory_order_seq_cst);
#endif
  v->seen = *v->next;
  return 0;
}

int main(void) {
  int flag[THREADS];
  struct view view[THREADS];
  pthread_t id[THREADS];
  for (int k = 0; k < THREADS; k++) {
    flag[k] = 0;
  }
  for (int k = 0; k < THREADS; k++) {
    view[k].own = &flag[k];
    view[k].next = &flag[(k + 1) % THREADS];
    view[k].seen = 0;
    pthread_create(&id[k], 0, look, &view[k]);
  }
  int seen = 0;
  for (int k = 0; k < THREADS; k++) {
    pthread_join(id[k], 0);
    seen += view[k].seen;
  }
  assert(seen > 0);
  return 0;
}
