// Readers and writers: the first reader takes the room, the last one leaves it. -DBROKEN counts the
// readers without the mutex.
//
// run:
// expect: sc,tso,power,aarch64,riscv,rc11=SAFE
//
// run: -DBROKEN
// expect: sc,tso,power,aarch64,riscv,rc11=UNSAFE

#include <assert.h>
#include <pthread.h>
#include <semaphore.h>

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
sem_t room;
int readers, a, b;

void enter(void) {
#ifndef BROKEN
  pthread_mutex_lock(&mutex);
#endif
  if (++readers == 1) sem_wait(&room);
#ifndef BROKEN
  pthread_mutex_unlock(&mutex);
#endif
}

void leave(void) {
#ifndef BROKEN
  pthread_mutex_lock(&mutex);
#endif
  if (--readers == 0) sem_post(&room);
#ifndef BROKEN
  pthread_mutex_unlock(&mutex);
#endif
}

void *reader(void *arg) {
  enter();
  assert(a == b);
  leave();
  return 0;
}

void *writer(void *arg) {
  sem_wait(&room);
  a++;
  b++;
  sem_post(&room);
  return 0;
}

int main(void) {
  pthread_t r, w;
  sem_init(&room, 0, 1);
  pthread_create(&r, 0, reader, 0);
  pthread_create(&w, 0, writer, 0);
  reader(0);
  pthread_join(r, 0);
  pthread_join(w, 0);
  assert(readers == 0 && a == 1 && b == 1);
  return 0;
}
