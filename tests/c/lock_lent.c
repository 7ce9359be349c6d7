// A word that one thread takes from 0 to 1 and another from 1 to 2: the second one's section is inside of
// the first one's, so sections of this word do not come one after another.
//
// run:
// expect: all=UNSAFE
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

atomic_int state;
int lent;

void *owner(void *arg) {
  int free = 0;
  if (atomic_compare_exchange_strong(&state, &free, 1)) {
    atomic_store(&state, 0);
  }
  return 0;
}

void *guest(void *arg) {
  int owned = 1;
  if (atomic_compare_exchange_strong(&state, &owned, 2)) {
    lent = 1;
    atomic_store(&state, 1);
  }
  return 0;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, owner, 0);
  pthread_create(&b, 0, guest, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  assert(!lent);
  return 0;
}
