// Creation orders what came before it, join what comes behind: a grandchild's plain writes are
// ordered for the grandmother through its parent's join.
//
// run: --check race
// expect: all=SAFE

#include <pthread.h>

int heirloom;

void *grandchild(void *arg) {
  heirloom++;
  return 0;
}

void *child(void *arg) {
  pthread_t t;
  heirloom++;
  pthread_create(&t, 0, grandchild, 0);
  pthread_join(t, 0);
  heirloom++;
  return 0;
}

int main(void) {
  pthread_t t;
  heirloom = 1;
  pthread_create(&t, 0, child, 0);
  pthread_join(t, 0);
  return heirloom != 4;
}
