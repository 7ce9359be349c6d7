// A thread cannot begin with what is no function; what follows is not looked at.
//
// expect: all=UNSAFE

#include <pthread.h>

pthread_t worker;

int main(void) {
  pthread_create(&worker, 0, 0, 0);
  pthread_join(worker, 0);
  return 0;
}
