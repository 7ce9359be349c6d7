// A function without a body that returns a pointer: with --havoc any, among others that of one object each time.
// -DLOCKED takes the lock that is in the object; that it is one is not known.
//
// run: --check race --havoc get
// expect: all=UNSAFE
//
// run: --check race
// expect: all=UNKNOWN
//
// run: --check race --havoc get -DLOCKED
// expect: all=UNKNOWN

#include <pthread.h>

struct node {
  pthread_mutex_t lock;
  int value;
};

extern struct node *get(void);

static void set(struct node *p, int value) {
#ifdef LOCKED
  pthread_mutex_lock(&p->lock);
#endif
  p->value = value;
#ifdef LOCKED
  pthread_mutex_unlock(&p->lock);
#endif
}

void *worker(void *arg) {
  (void)arg;
  set(get(), 1);
  return 0;
}

int main(void) {
  pthread_t t;
  pthread_create(&t, 0, worker, 0);
  set(get(), 2);
  return 0;
}
