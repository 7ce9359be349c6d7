// Writes to string literals (C11 6.4.5p7) and to objects that are defined as `const` (6.7.3p6) are undefined,
// whatever the type of the pointer. Initialisation is no write, nor is a compare-exchange that fails, and
// what a `const T *` points to may be written where the object itself is not `const`.
//
// run: --check memory -DSTRING
// expect: all=UNSAFE
// run: --check memory -DARRAY
// expect: all=UNSAFE
// run: --check memory -DTYPEDEF
// expect: all=UNSAFE
// run: --check memory -DLOCAL
// expect: all=UNSAFE
// run: --check memory -DPARAMETER
// expect: all=UNSAFE
// run: --check memory -DSTATIC_LOCAL
// expect: all=UNSAFE
// run: --check memory -DLITERAL
// expect: all=UNSAFE
// run: --check memory -DSTATIC_LITERAL
// expect: all=UNSAFE
// run: --check memory -DTHREAD_LOCAL
// expect: all=UNSAFE
// run: --check memory -DPOINTER
// expect: all=UNSAFE
// run: --check memory -DATOMIC
// expect: all=UNSAFE
// run: --check memory -DEXCHANGE
// expect: all=UNSAFE
// run: --check memory -DTHREAD
// expect: sc,tso,power,rc11=UNSAFE
// run: --check memory -DCHOICE
// expect: all=UNSAFE
// run: --check assert -DSTRING
// expect: all=UNKNOWN
// run:
// expect: all=SAFE
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

extern int __VERIFIER_nondet_int(void);

typedef const int constant;
typedef int pair[2];
struct s {
  int a, b[2];
};
const pair array = {1, 2};
constant number = 1;
const volatile int changes = 1;
_Atomic const int atomic = 1;
_Thread_local const int own = 1;
int variable = 1;
int *const fixed = &variable;
const int *unnamed = (const int[]){1, 2};
const struct s record = {1, {2, 3}};

static int callee(const int parameter, const struct s *read) {
#ifdef PARAMETER
  *(int *)&parameter = 1;
#endif
  return parameter + read->b[1];
}

static void *thread(void *p) {
  *(int *)p = 5;
  return 0;
}

int main(void) {
  const struct s local = {number, {2, 3}};
  const char text[] = "abc";
  char copy[] = "abc";
  static const int kept = 1;
  for (int i = 0; i < 2; i++) {
    const int again[2] = {i, i + 1};
    const struct s whole = local;
    const struct s *p = &whole;
    assert(again[p->a] == i + 1);
  }
#if defined STRING
  char *p = "abc";
  p[0] = 'x';
#elif defined ARRAY
  memset((void *)array, 0, sizeof array);
#elif defined TYPEDEF
  *(int *)&number = 1;
#elif defined LOCAL
  ((struct s *)&local)->b[1] = 3;
#elif defined STATIC_LOCAL
  *(int *)&kept = 1;
#elif defined LITERAL
  const struct s *p = &(const struct s){1};
  ((struct s *)p)->a = 1;
#elif defined STATIC_LITERAL
  *(int *)unnamed = 1;
#elif defined THREAD_LOCAL
  *(int *)&own = 1;
#elif defined POINTER
  *(int **)&fixed = 0;
#elif defined ATOMIC
  atomic_fetch_add((_Atomic int *)&atomic, 1);
#elif defined EXCHANGE
  int expected = 1;
  atomic_compare_exchange_strong((_Atomic int *)&atomic, &expected, 1);
#elif defined THREAD
  pthread_t t;
  pthread_create(&t, 0, thread, (void *)&local.a);
  pthread_join(t, 0);
#elif defined CHOICE
  int choice = __VERIFIER_nondet_int();
  *(int *)(choice == 7 ? &number : &variable) = choice;
#else
  pthread_t t;
  pthread_create(&t, 0, thread, &variable);
  pthread_join(t, 0);
  const int *view = &variable;
  *(int *)view = 3;
  *fixed = 4;
  copy[0] = text[1];
  int expected = 0;
  atomic_compare_exchange_strong((_Atomic int *)&atomic, &expected, 2);
  assert(atomic == 1 && changes + own + kept == 3 && unnamed[1] == 2);
#endif
  return callee(1, &record) + copy[1] + text[0];
}
