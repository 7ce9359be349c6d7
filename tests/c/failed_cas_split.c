// run:
// expect: sc,tso,pso,rmo,alpha,power=SAFE power2010=UNSAFE
// run: -DFAILURE=memory_order_relaxed
// expect: sc,tso,pso=SAFE rmo,alpha,power2010,power=UNSAFE
// run: -DSUCCESS=memory_order_relaxed
// expect: sc,tso,pso,rmo,alpha,power=SAFE power2010=UNSAFE
// run: --check race
// expect: all=SAFE
// run: --check race -DFAILURE=memory_order_relaxed
// expect: all=UNSAFE
// run: --check race -DEXPECTED=1
// expect: all=SAFE
// run: --check race -DEXPECTED=1 -DSUCCESS=memory_order_relaxed
// expect: all=UNSAFE
// run: --check race -DEXPECTED=1 -DFAILURE=memory_order_relaxed
// expect: all=SAFE

/* A compare-exchange has one order where it succeeds and another where it fails, for the machine
   and for races. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifndef SUCCESS
#define SUCCESS memory_order_acquire
#endif
#ifndef FAILURE
#define FAILURE memory_order_acquire
#endif
#ifndef EXPECTED
#define EXPECTED 7
#endif

static atomic_int f;
static int d;

static void *writer(void *arg)
{
    d = 1;
    atomic_store_explicit(&f, 1, memory_order_release);
    return arg;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, writer, 0);
    int e = EXPECTED;
    atomic_compare_exchange_strong_explicit(&f, &e, 8, SUCCESS, FAILURE);
    if (e == 1)
        assert(d == 1);
    pthread_join(t, 0);
    return 0;
}
