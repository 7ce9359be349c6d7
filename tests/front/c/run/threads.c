/* Threads that run one after the other, atomics and locks. */
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <threads.h>

atomic_int shared = 1;
_Atomic(int *) where;
_Atomic uint8_t small = 250;
atomic_flag flag = ATOMIC_FLAG_INIT;
pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
pthread_rwlock_t rw;
pthread_once_t once = PTHREAD_ONCE_INIT;
pthread_key_t key;
sem_t sem;
int plain, started, cells[4];

static void start(void) { started++; }
void *work(void *arg) {
  pthread_mutex_lock(&mutex);
  plain += (int)(intptr_t)arg;
  pthread_mutex_unlock(&mutex);
  pthread_once(&once, start);
  return (void *)(intptr_t)(plain * 2);
}
void *leave(void *arg) { pthread_exit(arg); }
int c11(void *arg) { return *(int *)arg - 3; }

int main(void) {
  pthread_t t, u;
  void *result;
  pthread_create(&t, NULL, work, (void *)5);
  pthread_join(t, &result);
  assert(plain == 5 && result == (void *)10 && started == 1);
  pthread_create(&u, NULL, &leave, (void *)7);
  pthread_join(u, &result);
  assert((intptr_t)result == 7);
  pthread_once(&once, start);
  assert(started == 1);
  thrd_t thread;
  int value = 1, code;
  thrd_create(&thread, c11, &value);
  thrd_join(thread, &code);
  assert(code == -2);

  assert(shared++ == 1 && ++shared == 3 && (shared += 4) == 7 && (shared *= 2) == 14);
  assert(atomic_load(&shared) == 14 && atomic_fetch_add_explicit(&shared, 2, memory_order_relaxed) == 14);
  assert(atomic_exchange(&shared, 3) == 16 && atomic_fetch_sub(&shared, 1) == 3 && shared == 2);
  int expected = 9;
  assert(!atomic_compare_exchange_strong(&shared, &expected, 4) && expected == 2);
  assert(atomic_compare_exchange_weak_explicit(&shared, &expected, 4, memory_order_acq_rel, memory_order_relaxed));
  assert(shared == 4 && expected == 2);
  int *box = malloc(sizeof(int));
  *box = 1;
  assert(!atomic_compare_exchange_strong(&shared, box, 5) && *box == 4);
  atomic_store(&where, &cells[0]);
  where++;
  assert(where == &cells[1]);
  small += 10;
  assert(small == 4);
  assert(!atomic_flag_test_and_set(&flag) && atomic_flag_test_and_set(&flag));
  atomic_flag_clear(&flag);
  assert(!atomic_flag_test_and_set_explicit(&flag, memory_order_acquire));

  assert(__sync_fetch_and_add(&plain, 2) == 5 && __sync_add_and_fetch(&plain, 1) == 8);
  assert(__sync_bool_compare_and_swap(&plain, 8, 1) && __sync_val_compare_and_swap(&plain, 2, 3) == 1);
  assert(__atomic_exchange_n(&plain, 6, __ATOMIC_ACQ_REL) == 1 && __atomic_or_fetch(&plain, 1, __ATOMIC_RELAXED) == 7);
  int out, in = 12;
  __atomic_load(&plain, &out, __ATOMIC_ACQUIRE);
  __atomic_store(&plain, &in, __ATOMIC_RELEASE);
  assert(out == 7 && plain == 12);

  assert(pthread_mutex_trylock(&mutex) == 0 && pthread_mutex_trylock(&mutex) == EBUSY);
  pthread_mutex_unlock(&mutex);
  pthread_rwlock_init(&rw, NULL);
  pthread_rwlock_rdlock(&rw);
  assert(pthread_rwlock_tryrdlock(&rw) == 0 && pthread_rwlock_trywrlock(&rw) == EBUSY);
  pthread_rwlock_unlock(&rw);
  pthread_rwlock_unlock(&rw);
  assert(pthread_rwlock_trywrlock(&rw) == 0 && pthread_rwlock_tryrdlock(&rw) == EBUSY);
  sem_init(&sem, 0, 1);
  sem_wait(&sem);
  assert(sem_trywait(&sem) == -1);
  sem_post(&sem);
  assert(sem_trywait(&sem) == 0);
  pthread_key_create(&key, NULL);
  assert(pthread_getspecific(key) == NULL);
  pthread_setspecific(key, &value);
  assert(pthread_getspecific(key) == &value);
  return 0;
}
