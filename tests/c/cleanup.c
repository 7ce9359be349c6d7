// The handlers that a thread has pushed run when it exits, the last one first.
//
// expect: all=SAFE

#include <assert.h>
#include <pthread.h>

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int order, first, second;

static void unlock(void *lock) {
  first = ++order;
  pthread_mutex_unlock(lock);
}
static void note(void *where) { *(int *)where = ++order; }

void *worker(void *arg) {
  pthread_cleanup_push(note, &second);
  pthread_mutex_lock(&m);
  pthread_cleanup_push(unlock, &m);
  pthread_exit(0);
  pthread_cleanup_pop(0);
  pthread_cleanup_pop(0);
  return 0;
}

int main(void) {
  pthread_t t;
  pthread_create(&t, 0, worker, 0);
  pthread_join(t, 0);
  assert(first == 1 && second == 2 && pthread_mutex_trylock(&m) == 0);
  return 0;
}
