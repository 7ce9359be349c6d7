// A monitor: an account from which only that can be taken which is there. -DBROKEN looks outside of it.
//
// run:
// expect: sc,tso,power,aarch64,riscv,rc11=SAFE
//
// run: -DBROKEN
// expect: sc,tso,power,aarch64,riscv,rc11=UNSAFE

#include <assert.h>
#include <pthread.h>

struct account {
  pthread_mutex_t lock;
  pthread_cond_t paid_in;
  int balance;
} account = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0};

void pay_in(struct account *a, int n) {
  pthread_mutex_lock(&a->lock);
  a->balance += n;
  pthread_cond_broadcast(&a->paid_in);
  pthread_mutex_unlock(&a->lock);
}

void take(struct account *a, int n) {
#ifdef BROKEN
  if (a->balance < n) return;
  pthread_mutex_lock(&a->lock);
#else
  pthread_mutex_lock(&a->lock);
  while (a->balance < n) pthread_cond_wait(&a->paid_in, &a->lock);
#endif
  a->balance -= n;
  assert(a->balance >= 0);
  pthread_mutex_unlock(&a->lock);
}

void *one(void *arg) {
  take(&account, 2);
  return 0;
}

int main(void) {
  pthread_t t[2];
  for (int i = 0; i < 2; i++) pthread_create(&t[i], 0, one, 0);
  pay_in(&account, 3);
#ifndef BROKEN
  pay_in(&account, 1);
#endif
  for (int i = 0; i < 2; i++) pthread_join(t[i], 0);
  return 0;
}
