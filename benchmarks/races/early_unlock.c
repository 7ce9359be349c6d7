// The lock is given back before the value is used: the update is under the lock, the look is not.
//
// run: --check race
// expect: all=UNSAFE

#include <pthread.h>

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
int balance = 100, spent;

static void withdraw(int amount) {
  pthread_mutex_lock(&mutex);
  balance -= amount;
  pthread_mutex_unlock(&mutex);
  if (balance < 0) {
    spent = 1;
  }
}

void *customer(void *arg) {
  withdraw(30);
  return 0;
}

int main(void) {
  pthread_t t;
  pthread_create(&t, 0, customer, 0);
  withdraw(80);
  pthread_join(t, 0);
  return 0;
}
