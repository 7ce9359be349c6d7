// A call through a pointer goes to a function of a compatible type (C11 6.3.2.3p8, 6.5.2.2p9). Types without
// a prototype are compatible with all parameters that default promotions leave as they are, and what the
// library calls (threads, comparisons of `qsort`) is cast everywhere.
//
// run: --check memory -DPARAMETERS
// expect: all=UNSAFE
// run: --check memory -DRESULT
// expect: all=UNSAFE
// run: --check memory -DPOINTER
// expect: all=UNSAFE
// run: --check memory -DVARIADIC
// expect: all=UNSAFE
// run: --check memory -DDIRECT
// expect: all=UNSAFE
// run: --check memory -DTABLE
// expect: all=UNSAFE
// run: --check memory -DTHREAD
// expect: sc,tso,power,rc11=UNSAFE
// run: --check assert -DPARAMETERS
// expect: all=SAFE
// run:
// expect: all=SAFE
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

struct node {
  int value;
};
static int one(int a) { return a; }
static int two(int a, int b) { return a + b; }
static int of_node(struct node *n) { return n->value; }
static int any() { return 3; }
static int old(a) int a;
{ return a; }
static int compare(const int *a, const int *b) { return *a - *b; }
static int *none(int *p) { return p; }

typedef int unary(int);
static int (*shared)(int, int);

struct operations {
  unary *run;
} table[] = {{one}, {(unary *)two}, {any}, {old}};

static void *thread(struct node *n) {
  n->value = shared ? shared(1, 2) : 0;
  return 0;
}

int main(void) {
  struct node node = {1};
  int i = __VERIFIER_nondet_int();
  pthread_t t;
#if defined PARAMETERS
  int (*p)(long, long) = (int (*)(long, long))one;
  p(1, 2);
#elif defined RESULT
  void (*p)(int *) = (void (*)(int *))none;
  p(&i);
#elif defined POINTER
  int (*p)(void *) = (int (*)(void *))of_node;
  p(&node);
#elif defined VARIADIC
  int (*p)(int, ...) = (int (*)(int, ...))one;
  p(1);
#elif defined DIRECT
  ((int (*)(unsigned))one)(1);
#elif defined TABLE
  if (i >= 0 && i < 4)
    table[i].run(1);
#elif defined THREAD
  shared = (int (*)(int, int))one;
  pthread_create(&t, 0, (void *(*)(void *))thread, &node);
  pthread_join(t, 0);
#else
  int values[2] = {2, 1};
  if (i >= 0 && i < 4 && i != 1)
    table[i].run(1);
  int (*back)(int) = (int (*)(int))(void (*)(void))one;
  assert(back(4) == 4 && (*two)(1, 2) == 3);
  int (*unknown)() = two;
  unknown(1, 2);
  qsort(values, 2, sizeof *values, (int (*)(const void *, const void *))compare);
  pthread_create(&t, 0, (void *(*)(void *))thread, &node);
  pthread_join(t, 0);
  assert(values[0] == 1);
#endif
  return 0;
}
