// Producer and consumer over a ring of five with a mutex and two condition variables. Ten items are
// proved on all of these models. -DBROKEN looks once whether there is an item.
//
// run: -DITEMS=6
// expect: sc,tso,power,aarch64,riscv,rc11=SAFE
//
// run: -DBROKEN -DITEMS=4
// expect: sc,tso,power,aarch64,riscv,rc11=UNSAFE

#include <assert.h>
#include <pthread.h>

#define PLACES 5
#ifndef ITEMS
#define ITEMS 10
#endif

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t not_full = PTHREAD_COND_INITIALIZER, not_empty = PTHREAD_COND_INITIALIZER;
int ring[PLACES], in, out, count;

void *producer(void *arg) {
  for (int i = 0; i < ITEMS; i++) {
    pthread_mutex_lock(&mutex);
    while (count == PLACES) pthread_cond_wait(&not_full, &mutex);
    ring[in] = i + 1;
    in = (in + 1) % PLACES;
    count++;
    pthread_cond_signal(&not_empty);
    pthread_mutex_unlock(&mutex);
  }
  return 0;
}

int main(void) {
  pthread_t t;
  pthread_create(&t, 0, producer, 0);
  for (int i = 0; i < ITEMS; i++) {
    pthread_mutex_lock(&mutex);
#ifdef BROKEN
    if (count == 0) pthread_cond_wait(&not_empty, &mutex);
#else
    while (count == 0) pthread_cond_wait(&not_empty, &mutex);
#endif
    int item = ring[out];
    out = (out + 1) % PLACES;
    count--;
    pthread_cond_signal(&not_full);
    pthread_mutex_unlock(&mutex);
    assert(item == i + 1);
  }
  pthread_join(t, 0);
  return 0;
}
