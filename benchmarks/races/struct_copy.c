// An assignment of a structure reads all its members, the one that is being written, too.
//
// run: --check race
// expect: all=UNSAFE

#include <pthread.h>

struct settings {
  int width, height, depth;
} settings = {640, 480, 8};

void *resize(void *arg) {
  settings.depth = 16;
  return 0;
}

int main(void) {
  pthread_t t;
  pthread_create(&t, 0, resize, 0);
  struct settings copy = settings;
  pthread_join(t, 0);
  return copy.width != 640;
}
