// Where only values are asked about, a load outside of every object returns any value; with -DMEANT the program says
// so itself. What is violated because of such a value is undefined behaviour first, so the answer is UNKNOWN; and so it is
// where a store goes outside, or something is used that no longer exists.
//
// run: --check assert
// expect: all=SAFE
//
// run: --check assert -DMEANT
// expect: all=SAFE
//
// run: --check assert,memory
// expect: all=UNSAFE
//
// run: --check assert,race
// expect: all=UNKNOWN
//
// run: --check assert -DVALUE
// expect: all=UNKNOWN
//
// run: --check assert -DVALUE -DMEANT
// expect: all=UNSAFE
//
// run: --check assert -DTHREAD
// expect: all=SAFE
//
// run: --check assert -DTHREAD -DMEANT
// expect: all=SAFE
//
// run: --check assert -DPOINTER
// expect: all=SAFE
//
// run: --check assert -DPOINTER -DSTORE
// expect: all=UNKNOWN
//
// run: --check assert -DROW
// expect: all=UNKNOWN
//
// run: --check assert -DROW -DINSIDE
// expect: all=SAFE
//
// run: --check assert -DSTORE
// expect: all=UNKNOWN
//
// run: --check assert -DFREED
// expect: all=UNKNOWN
//
// run: --check assert -DNULL_POINTER
// expect: all=SAFE
//
// run: --check assert -DNULL_POINTER -DVALUE
// expect: all=UNKNOWN

#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

extern unsigned __VERIFIER_nondet_uint(void);
int table[4] = {1, 2, 3, 4}, other = 1, *nothing;
struct {
  int row[2];
  int behind;
} s = {{0, 0}, 7};

int at(unsigned k) {
#ifdef MEANT
  return k < 4 ? table[k] : (int)__VERIFIER_nondet_uint();
#else
  return table[k];
#endif
}

void *writer(void *unused) {
  table[2] = 9;
  return 0;
}

int main(void) {
  unsigned k = __VERIFIER_nondet_uint();
#if defined(POINTER)
  int *all[2] = {&other, &other};
#ifdef STORE
  *all[k] = 2;
#endif
  int v = *all[k];
  assert(table[0] == 1);
  (void)v;
#elif defined(ROW)
#ifdef INSIDE
  k %= 3;
#endif
  assert(s.row[k] == 0 || s.row[k] == 7);
#elif defined(STORE)
  table[k] = 5;
  assert(other == 1);
#elif defined(FREED)
  int *gone = malloc(sizeof *gone);
  free(gone);
  int v = *gone;
  assert(other == 1);
#elif defined(NULL_POINTER)
  int v = *nothing;
#ifdef VALUE
  assert(v == 0);
#else
  assert(other == 1);
#endif
#elif defined(THREAD)
  pthread_t t;
  pthread_create(&t, 0, writer, 0);
  int v = at(k);
  pthread_join(t, 0);
  assert(k != 2 || v == 3 || v == 9);
  assert(table[2] == 9);
#else
  int v = at(k);
#ifdef VALUE
  assert(v >= 1);
#else
  assert(k >= 4 || v == (int)k + 1);
#endif
#endif
}
