// Addresses may repeat: that of an object that has ended is the next one's, what is behind an object is
// the next one's, and a thread that was joined gives its handle to the next.
//
// run: -DABA
// expect: all=UNSAFE
//
// run: -DABA --reuse-addresses false
// expect: all=SAFE
//
// run: -DREALLOC
// expect: all=UNSAFE
//
// run: -DALIVE --check assert,memory
// expect: all=SAFE
//
// run: -DSTALE --check assert,memory
// expect: all=UNSAFE
//
// run: -DCONSISTENT
// expect: all=SAFE
//
// run: -DJOINED
// expect: all=UNSAFE
//
// run: -DBEHIND
// expect: all=UNSAFE
//
// run: -DROUND
// expect: all=SAFE
//
// run: -DHANDLE
// expect: all=UNSAFE
//
// run: -DHANDLES_ALIVE
// expect: all=SAFE
//
// run: -DLITERALS
// expect: all=UNSAFE
//
// run: -DLITERALS_DIFFER
// expect: all=UNSAFE
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>

_Atomic uintptr_t top;
int a, b, c;

static void *nothing(void *arg) { return arg; }

static void *gives_back(void *arg) {
  free(arg);
  return 0;
}

int main(void) {
#if defined ABA
  int *p = malloc(4);
  uintptr_t seen = (uintptr_t)p;
  atomic_store(&top, seen);
  free(p);
  p = malloc(4);
  atomic_store(&top, (uintptr_t)p);
  assert(!atomic_compare_exchange_strong(&top, &seen, 0));
#elif defined REALLOC
  char *p = malloc(8);
  uintptr_t old = (uintptr_t)p;
  p = realloc(p, 4);
  assert((uintptr_t)p != old);
#elif defined ALIVE
  // Two that exist at once differ, and what is stored is the new one's address.
  int *p = malloc(4), *q = malloc(4);
  assert(p != q);
  uintptr_t old = (uintptr_t)p;
  free(p);
  int *r = malloc(4);
  assert(r != q);
  *r = 7;
  if ((uintptr_t)r == old)
    atomic_compare_exchange_strong(&top, &old, (uintptr_t)r);
  assert(*r == 7);
#elif defined STALE
  int *p = malloc(4);
  free(p);
  int *q = malloc(4);
  *q = 1;
  if (p == q)
    *p = 2;
#elif defined CONSISTENT
  int *p = malloc(4);
  uintptr_t old = (uintptr_t)p;
  free(p);
  int *q = malloc(4), *r = malloc(4);
  uintptr_t new = (uintptr_t)q;
  assert((old == new) == (new == old));
  assert((old < new) + (new < old) + (old == new) == 1);
  // Both would be where the first was.
  assert(!(old == new && old == (uintptr_t)r));
  free(q);
  int *s = malloc(4);
  assert(!(old == new && new == (uintptr_t)s && old != (uintptr_t)s));
#elif defined JOINED
  int *p = malloc(4);
  uintptr_t old = (uintptr_t)p;
  pthread_t t;
  pthread_create(&t, 0, gives_back, p);
  pthread_join(t, 0);
  assert((uintptr_t)malloc(4) != old);
#elif defined BEHIND
  assert(&a + 1 != &b && &b + 1 != &a);
#elif defined ROUND
  assert(!(&a + 1 == &b && &b + 1 == &a));
  assert(!(&a + 1 == &b && &a + 1 == &c));
  assert(!(&a + 1 == &b && &b + 1 == &c && &c + 1 == &a));
  assert(!(&a + 1 == &b && (uintptr_t)&b < (uintptr_t)&a));
  assert(&a != &b && &a + 1 != &a);
#elif defined HANDLE
  pthread_t t, u;
  pthread_create(&t, 0, nothing, 0);
  pthread_join(t, 0);
  pthread_create(&u, 0, nothing, 0);
  assert(!pthread_equal(t, u));
  pthread_join(u, 0);
#elif defined HANDLES_ALIVE
  pthread_t t, u;
  pthread_create(&t, 0, nothing, 0);
  pthread_create(&u, 0, nothing, 0);
  assert(!pthread_equal(t, u) && pthread_equal(t, t) && !pthread_equal(t, pthread_self()));
  pthread_join(t, 0);
  assert(!pthread_equal(t, u));
  pthread_join(u, 0);
#elif defined LITERALS
  assert("abc" != (char *)"abc");
#elif defined LITERALS_DIFFER
  const char *p = "abc", *q = "abc";
  assert(p == p && p == q);
#endif
  return 0;
}
