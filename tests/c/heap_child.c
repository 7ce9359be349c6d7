// A heap object that a child thread is the first to touch, reached through the argument of the thread.
//
// run: -DONE
// expect: all=SAFE
//
// run: -DCROSSED
// expect: sc=SAFE tso,pso,rmo,alpha,power2010,power=UNSAFE

#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

struct pair {
  int left, right;
};

int r1, r2;

void *thread0(void *arg) {
  struct pair *p = arg;
  p->left = 1;
  r1 = p->right;
  return 0;
}

void *thread1(void *arg) {
  struct pair *p = arg;
  p->right = 1;
  r2 = p->left;
  return 0;
}

int main(void) {
  pthread_t t0;
  struct pair *p = calloc(1, sizeof(struct pair));
  if (p == 0) {
    return 0;
  }
  pthread_create(&t0, 0, thread0, p);
#ifdef CROSSED
  pthread_t t1;
  pthread_create(&t1, 0, thread1, p);
  pthread_join(t1, 0);
#endif
  pthread_join(t0, 0);
#ifdef CROSSED
  assert(!(r1 == 0 && r2 == 0));
#else
  assert(p->left == 1 && p->right == 0 && r1 == 0);
#endif
  return 0;
}
