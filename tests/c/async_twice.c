// CBMC's statements that run in threads of their own: two of them have one label.
//
// expect: all=SAFE
//
// run: -DUNLOCKED
// expect: all=UNSAFE

#include <assert.h>
#include <pthread.h>

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
int count, ended;

static void add(int by) {
#ifndef UNLOCKED
  pthread_mutex_lock(&mutex);
#endif
  count += by;
  ended++;
#ifndef UNLOCKED
  pthread_mutex_unlock(&mutex);
#endif
}

int main(void) {
  int by = 1;
__CPROVER_ASYNC_1:
  add(by);
  by = 2;
__CPROVER_ASYNC_1:
  add(by);
  pthread_mutex_lock(&mutex);
  if (ended == 2) assert(count == 3);
  pthread_mutex_unlock(&mutex);
  return 0;
}
