// A mutex in a structure that is set to zero byte by byte, so that what is read of the mutex is put together of bytes.
// Both threads take it and go on. -DBROKEN: the first one keeps it.
//
// run: --check deadlock --unwind 80
// expect: sc,tso=HOLDS
//
// run: --check deadlock --unwind 80 -DBROKEN
// expect: sc,tso=UNSAFE

#include <pthread.h>
#include <stdlib.h>

struct box {
  int count;
  pthread_mutex_t mutex;
};
struct box *box;

void *add(void *unused) {
  pthread_mutex_lock(&box->mutex);
  box->count++;
#ifndef BROKEN
  pthread_mutex_unlock(&box->mutex);
#endif
  return 0;
}

int main(void) {
  box = malloc(sizeof *box);
  char *bytes = (char *)box;
  for (unsigned i = 0; i < sizeof *box; i++)
    bytes[i] = 0;
  pthread_t other;
  pthread_create(&other, 0, add, 0);
  add(0);
  pthread_join(other, 0);
  free(box);
}
