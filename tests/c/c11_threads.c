// <threads.h>: threads with results, mutexes of two kinds, call_once, thread-specific storage.
//
// expect: all=SAFE

#include <assert.h>
#include <threads.h>

mtx_t plain, recursive;
once_flag once = ONCE_FLAG_INIT;
tss_t key;
thread_local int mine = 1;
int x, initialised;

void initialise(void) { initialised++; }

int worker(void *arg) {
  call_once(&once, initialise);
  assert(initialised == 1);
  tss_set(key, arg);
  mine++;
  mtx_lock(&recursive);
  mtx_lock(&recursive);
  x++;
  mtx_unlock(&recursive);
  mtx_unlock(&recursive);
  assert(tss_get(key) == arg && mine == 2);
  return *(int *)arg;
}

int main(void) {
  int one = 1, two = 2, a, b;
  thrd_t t, u;
  assert(mtx_init(&plain, mtx_plain) == thrd_success);
  mtx_init(&recursive, mtx_plain | mtx_recursive);
  tss_create(&key, 0);
  thrd_create(&t, worker, &one);
  thrd_create(&u, worker, &two);
  thrd_join(t, &a);
  thrd_join(u, &b);
  assert(a == 1 && b == 2 && x == 2 && mine == 1);
  assert(mtx_lock(&plain) == thrd_success && mtx_trylock(&plain) == thrd_busy);
  assert(!thrd_equal(t, thrd_current()));
  return 0;
}
