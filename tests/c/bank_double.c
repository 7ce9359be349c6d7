// Three threads transfer money between two accounts, each with a lock of its own; with UNLOCKED they
// lock the accounts they take from alone. All amounts are multiples of a quarter, so that sums are exact.
//
// run:
// expect: sc,tso=SAFE
// run: -DUNLOCKED
// expect: sc,tso=UNSAFE

#include <assert.h>
#include <pthread.h>
#include <stdio.h>

#define THREADS 3
#define ACCOUNTS 2

struct account {
  double balance;
  pthread_mutex_t lock;
};

static struct account accounts[ACCOUNTS];

static void transfer(int from, int to, double amount) {
  int first = from < to ? from : to, second = from < to ? to : from;
#ifdef UNLOCKED
  pthread_mutex_lock(&accounts[from].lock);
#else
  pthread_mutex_lock(&accounts[first].lock);
  pthread_mutex_lock(&accounts[second].lock);
#endif
  if (accounts[from].balance >= amount) {
    accounts[from].balance -= amount;
    accounts[to].balance += amount;
  }
#ifdef UNLOCKED
  pthread_mutex_unlock(&accounts[from].lock);
#else
  pthread_mutex_unlock(&accounts[second].lock);
  pthread_mutex_unlock(&accounts[first].lock);
#endif
}

static void *worker(void *arg) {
  long id = (long)arg;
  for (int i = 1; i <= 2; i++)
    transfer(id % ACCOUNTS, (id + 1) % ACCOUNTS, 10.25 * i);
  return 0;
}

int main(void) {
  pthread_t t[THREADS];
  double total = 0;
  for (int i = 0; i < ACCOUNTS; i++) {
    accounts[i].balance = 1000.0;
    pthread_mutex_init(&accounts[i].lock, 0);
  }
  for (long i = 0; i < THREADS; i++)
    pthread_create(&t[i], 0, worker, (void *)i);
  for (int i = 0; i < THREADS; i++)
    pthread_join(t[i], 0);
  for (int i = 0; i < ACCOUNTS; i++)
    total += accounts[i].balance;
  printf("%.2f\n", total);
  assert(total == ACCOUNTS * 1000.0);
  return 0;
}
