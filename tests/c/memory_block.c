// A local ends with its block, whichever way it is left (C11, 6.2.4p6).
//
// run: --check memory
// expect: all=UNSAFE
//
// run: --check memory -DBREAK
// expect: all=UNSAFE
//
// run: --check memory -DCONTINUE
// expect: all=UNSAFE
//
// run: --check memory -DGOTO
// expect: all=UNSAFE
//
// run: --check memory -DBACK
// expect: all=UNSAFE
//
// Every iteration has an object of its own.
// run: --check memory -DITERATION
// expect: all=UNSAFE
//
// run: --check memory -DSWITCH
// expect: all=UNSAFE
//
// run: --check memory -DLITERAL
// expect: all=UNSAFE
//
// run: --check memory -DEXPRESSION
// expect: all=UNSAFE
//
// run: --check memory -DARRAY
// expect: all=UNSAFE
//
// Another thread uses it.
// run: --check memory -DTHREAD
// expect: all=UNSAFE
//
// run: --check memory -DTHREAD -DJOIN
// expect: all=SAFE
//
// What a `for` declares lives as long as the loop, what a function declares as long as the function,
// and jumps within a block end nothing.
// run: --check memory -DINSIDE
// expect: all=SAFE

#include <assert.h>
#include <pthread.h>

struct pair {
  int a, b;
};

static void *use(void *p) {
  *(int *)p = 1;
  return 0;
}

static int leave(int n) {
  int *g;
  int own = 0;
  g = &own;
  pthread_t t;
#if defined BREAK
  for (;;) {
    int x = 5;
    g = &x;
    if (n)
      break;
  }
#elif defined CONTINUE
  for (int i = 0; i < 1; i++) {
    int x = 5;
    g = &x;
    if (n)
      continue;
    g = &own;
  }
#elif defined GOTO
  {
    int x = 5;
    {
      int y = 6;
      g = n ? &x : &y;
      goto out;
    }
  }
out:;
#elif defined BACK
  int done = 0;
again:
  if (!done) {
    int x = 5;
    g = &x;
    done = 1;
    goto again;
  }
#elif defined ITERATION
  for (int i = 0; i < 2; i++) {
    int x = i;
    if (i == 0)
      g = &x;
    else
      *g = 3;
  }
  g = &own;
#elif defined SWITCH
  switch (n) {
  case 1: {
    int x = 5;
    g = &x;
    break;
  }
  default:
    break;
  }
#elif defined LITERAL
  {
    g = &(struct pair){1, 2}.b;
  }
#elif defined EXPRESSION
  g = ({
    int x = 5;
    &x;
  });
#elif defined ARRAY
  {
    int a[n + 1];
    g = a;
  }
#elif defined THREAD
  {
    int x = 5;
    pthread_create(&t, 0, use, &x);
#ifdef JOIN
    pthread_join(t, 0);
#endif
  }
#elif defined INSIDE
  int sum = 0;
  for (int i = 0, *p = &i; i < 2; i++) {
    struct pair both = ({
      struct pair q = {1, 2};
      q;
    });
    int x = both.a;
    int *q = &x;
    if (*p == 7)
      goto skip;
    sum += *q + *p;
  skip:
    sum += *q;
  }
  assert(sum == 5);
#else
  {
    int x = 5;
    g = &x;
  }
#endif
  *g = 7;
  return own;
}

int main(void) { return leave(1) > 7; }
