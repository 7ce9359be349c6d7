// That threads do not wait for each other is proved for any number of them where each takes locks in one order; not where a
// lock may be taken at first, or locks of an array are taken as they come.
//
// run: --check deadlock --unwind 2
// expect: sc=SAFE tso=SAFE pso=SAFE power=SAFE rc11=SAFE aarch64=SAFE riscv=SAFE
//
// run: --check deadlock --unwind 2 -DOPEN
// expect: sc=UNSAFE tso=UNSAFE
//
// run: --check deadlock --unwind 2 -DROW
// expect: sc=UNSAFE tso=UNSAFE rc11=UNSAFE

#include <pthread.h>
#include <stdatomic.h>

extern int __VERIFIER_nondet_int(void);
#ifdef OPEN
extern pthread_mutex_t first;
#else
pthread_mutex_t first;
#endif
pthread_mutex_t row[2];
atomic_int begun;
int data;

void *worker(void *unused) {
  int none = 0;
  if (atomic_compare_exchange_strong(&begun, &none, 1)) data = 1;
  pthread_mutex_lock(&first);
  data++;
#ifdef ROW
  int i = __VERIFIER_nondet_int() & 1;
  pthread_mutex_unlock(&first);
  pthread_mutex_lock(&row[i]);
  pthread_mutex_lock(&row[1 - i]);
  pthread_mutex_unlock(&row[1 - i]);
  pthread_mutex_unlock(&row[i]);
#else
  pthread_mutex_lock(&row[0]);
  data++;
  pthread_mutex_unlock(&row[0]);
  pthread_mutex_unlock(&first);
#endif
  return 0;
}

int main(void) {
  pthread_t thread;
  int n = __VERIFIER_nondet_int();
  for (int i = 0; i < n; i++) pthread_create(&thread, 0, worker, 0);
  pthread_exit(0);
}
