// A message behind a plain flag: flag and message race, whatever the machine does.
//
// run: --check race --unwind 1
// expect: all=UNSAFE

#include <pthread.h>

int message, flag;

void *sender(void *arg) {
  message = 42;
  flag = 1;
  return 0;
}

int main(void) {
  pthread_t t;
  pthread_create(&t, 0, sender, 0);
  while (!flag) {
  }
  int seen = message;
  pthread_join(t, 0);
  return seen != 42;
}
