// Objects with locks of their own, that any number of threads go through as often as they like; a spin lock and a
// semaphore for what is common. -DUNLOCKED leaves out the object's lock, -DOTHER takes that of another object.
//
// run: --check race
// expect: sc=SAFE tso=SAFE pso=SAFE rc11=SAFE aarch64=SAFE riscv=SAFE power=SAFE
//
// run: --check race -DUNLOCKED --unwind 2
// expect: sc=UNSAFE tso=UNSAFE rc11=UNSAFE
//
// run: --check race -DOTHER --unwind 2
// expect: sc=UNSAFE tso=UNSAFE rc11=UNSAFE

#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>

extern int __VERIFIER_nondet_int(void);

struct account {
  pthread_mutex_t lock;
  int balance;
} accounts[3];

atomic_int spin;
sem_t permit;
int transfers, last;

static void add(struct account *a, struct account *locked, int amount) {
#ifndef UNLOCKED
  pthread_mutex_lock(&locked->lock);
#endif
  a->balance += amount;
#ifndef UNLOCKED
  pthread_mutex_unlock(&locked->lock);
#endif
}

void *clerk(void *arg) {
  (void)arg;
  while (__VERIFIER_nondet_int()) {
    int from = __VERIFIER_nondet_int();
    if (from < 0 || from > 2) break;
#ifdef OTHER
    add(&accounts[from], &accounts[(from + __VERIFIER_nondet_int()) & 1], -1);
#else
    add(&accounts[from], &accounts[from], -1);
#endif
    while (atomic_exchange_explicit(&spin, 1, memory_order_acquire)) {
    }
    transfers++;
    atomic_store_explicit(&spin, 0, memory_order_release);
    sem_wait(&permit);
    last = from;
    sem_post(&permit);
  }
  return 0;
}

int main(void) {
  sem_init(&permit, 0, 1);
  for (int i = 0; i < 3; i++) pthread_mutex_init(&accounts[i].lock, 0);
  while (__VERIFIER_nondet_int()) {
    pthread_t t;
    pthread_create(&t, 0, clerk, 0);
    pthread_detach(t);
  }
  return 0;
}
