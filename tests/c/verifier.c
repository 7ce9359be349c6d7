// The functions of SV-COMP: arbitrary values of all types, assumptions, atomic sections and atomic
// functions.
//
// expect: all=SAFE
//
// run: -DAPART
// expect: all=UNSAFE
//
// run: -DANY
// expect: all=UNSAFE

#include <pthread.h>

extern void abort(void);
void reach_error(void) {}
extern char __VERIFIER_nondet_char(void);
extern unsigned char __VERIFIER_nondet_uchar(void);
extern short __VERIFIER_nondet_short(void);
extern unsigned long long __VERIFIER_nondet_ulonglong(void);
extern _Bool __VERIFIER_nondet_bool(void);
extern void *__VERIFIER_nondet_pointer(void);
extern void __VERIFIER_nondet_memory(void *, unsigned long);
extern void __VERIFIER_assume(int);
extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);
int x;

void __VERIFIER_atomic_increment(void) { x = x + 1; }

void *other(void *arg) {
#ifdef APART
  x = x + 1;
#else
  __VERIFIER_atomic_begin();
  x = x + 1;
  __VERIFIER_atomic_end();
#endif
  return 0;
}

int main(void) {
  char c = __VERIFIER_nondet_char();
  unsigned char u = __VERIFIER_nondet_uchar();
  short s = __VERIFIER_nondet_short();
  _Bool b = __VERIFIER_nondet_bool();
  unsigned long long l = __VERIFIER_nondet_ulonglong();
  int array[2] = {1, 1};
  __VERIFIER_nondet_memory(array, sizeof array);
#ifdef ANY
  if (array[1] == 12345) reach_error();
#endif
  if (c > 127 || u > 255 || s < -32768 || b > 1) reach_error();
  __VERIFIER_assume(l > 5);
  if (l < 6) reach_error();
  pthread_t t;
  pthread_create(&t, 0, other, 0);
  __VERIFIER_atomic_increment();
  pthread_join(t, 0);
  if (x != 2) reach_error();
  return 0;
}
