// A hash map with locks for stripes of its buckets (Herlihy and Shavit, The Art of Multiprocessor Programming,
// 2008, chapter 13). -DUNLOCKED reads without the lock, and without an order. -DWRONG_STRIPE chooses the lock by
// another hash than the bucket. -DTWO_SECTIONS reads and writes in two critical sections.
//
// run: --linearizable --setup init --parallel put(0,1),get(2);put(2,2),get(0)
// expect: sc,rc11=SAFE
//
// run: --linearizable --setup init --parallel add(0,1),add(2,1);add(2,2),add(0,2);put(1,3),get(0)
// expect: sc,rc11=SAFE
//
// run: --linearizable --setup init,put(0,1),put(1,1) --parallel put(0,2),put(1,2);get(1),get(0) -DUNLOCKED
// expect: sc=SAFE rc11=UNSAFE
//
// run: --linearizable --setup init --parallel put(0,1);put(2,2),get(0),get(2) -DWRONG_STRIPE
// expect: sc,rc11=UNSAFE
//
// run: --linearizable --setup init --parallel add(0,1);add(0,2) -DTWO_SECTIONS
// expect: sc,rc11=UNSAFE

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#define BUCKETS 2
#define STRIPES 2

struct entry {
  int key;
  atomic_int value;
  struct entry *next;
};

_Atomic(struct entry *) buckets[BUCKETS];
pthread_mutex_t stripes[STRIPES];

void init(void) {
  for (int i = 0; i < STRIPES; i++)
    pthread_mutex_init(&stripes[i], 0);
}

static pthread_mutex_t *stripe(int key) {
#ifdef WRONG_STRIPE
  return &stripes[key / BUCKETS % STRIPES];
#else
  return &stripes[key % BUCKETS % STRIPES];
#endif
}

static struct entry *find(int key) {
  struct entry *e = atomic_load_explicit(&buckets[key % BUCKETS], memory_order_relaxed);
  while (e && e->key != key)
    e = e->next;
  return e;
}

// 0 if the key is not there.
static int value_of(int key) {
  struct entry *e = find(key);
  return e ? atomic_load_explicit(&e->value, memory_order_relaxed) : 0;
}

static void set(int key, int value) {
  struct entry *e = find(key);
  if (e) {
    atomic_store_explicit(&e->value, value, memory_order_relaxed);
    return;
  }
  e = malloc(sizeof *e);
  e->key = key;
  e->next = atomic_load_explicit(&buckets[key % BUCKETS], memory_order_relaxed);
  atomic_init(&e->value, value);
  atomic_store_explicit(&buckets[key % BUCKETS], e, memory_order_relaxed);
}

int get(int key) {
#ifndef UNLOCKED
  pthread_mutex_lock(stripe(key));
#endif
  int value = value_of(key);
#ifndef UNLOCKED
  pthread_mutex_unlock(stripe(key));
#endif
  return value;
}

void put(int key, int value) {
  pthread_mutex_lock(stripe(key));
  set(key, value);
  pthread_mutex_unlock(stripe(key));
}

// Adds to the value, and returns the sum.
int add(int key, int value) {
  pthread_mutex_lock(stripe(key));
  int sum = value_of(key) + value;
#ifdef TWO_SECTIONS
  pthread_mutex_unlock(stripe(key));
  pthread_mutex_lock(stripe(key));
#endif
  set(key, sum);
  pthread_mutex_unlock(stripe(key));
  return sum;
}
