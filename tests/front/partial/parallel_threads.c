// Threads without a main: one function in two threads, a deadlock, a race, numbers as arguments.
// run: --parallel locked,locked
// expect: sc,tso,power=SAFE
// run: --parallel unlocked,unlocked
// expect: sc=UNSAFE
// run: --parallel forward,backward
// expect: sc=UNSAFE
// run: --parallel forward,forward
// expect: sc=SAFE
// run: --parallel add,add --finally not_negative
// expect: sc=SAFE
// run: --parallel add,add --finally never_five
// expect: sc=UNSAFE
// run: --parallel left,right --finally both
// expect: sc=SAFE tso=UNSAFE
// run: --parallel worker,worker,worker
// expect: sc=SAFE
// run: --parallel returns_short,returns_pair
// expect: sc=SAFE
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static int count;
void locked(void) { pthread_mutex_lock(&a); count++; pthread_mutex_unlock(&a); }
void unlocked(void) { count++; }
void forward(void) {
  pthread_mutex_lock(&a); pthread_mutex_lock(&b);
  pthread_mutex_unlock(&b); pthread_mutex_unlock(&a);
}
void backward(void) {
  pthread_mutex_lock(&b); pthread_mutex_lock(&a);
  pthread_mutex_unlock(&a); pthread_mutex_unlock(&b);
}
static atomic_int sum;
void add(unsigned char n) { atomic_fetch_add(&sum, n); }
void not_negative(void) { assert(atomic_load(&sum) >= 0 && atomic_load(&sum) <= 510); }
void never_five(void) { assert(atomic_load(&sum) != 5); }
static volatile int x, y, seen_by_left, seen_by_right;
void left(void) { x = 1; seen_by_left = y; }
void right(void) { y = 1; seen_by_right = x; }
void both(void) { assert(seen_by_left || seen_by_right); }
void *worker(void *arg) {
  pthread_mutex_lock(&a);
  count++;
  pthread_mutex_unlock(&a);
  return arg;
}
short returns_short(void) { locked(); return 1; }
struct pair { int x, y; };
struct pair returns_pair(struct pair p) { locked(); return p; }
