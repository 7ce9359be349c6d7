// run:
// expect: sc,tso,pso=SAFE rmo,alpha,power2010,power=UNSAFE
// run: --check race
// expect: all=UNSAFE
// run: -DFAILURE=memory_order_release
// expect: sc,tso,pso=SAFE rmo,alpha,power2010,power=UNSAFE
// run: -DFAILURE=memory_order_acquire
// expect: sc,tso,pso,rmo,alpha,power=SAFE power2010=UNSAFE
/* The compare-exchange fails, so its order is the second one, relaxed (C11 7.17.7.4); gcc's Power code jumps over the isync then.
   Power: data may be 0 (UNSAFE expected); race: the read of data is not ordered (UNSAFE expected). Both are SAFE. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#ifndef FAILURE
#define FAILURE memory_order_relaxed
#endif
static atomic_int f;
static int d;
static void *w(void *q) { d = 1; atomic_store_explicit(&f, 1, memory_order_release); return 0; }
int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, w, 0);
    int e = 7;
    if (!atomic_compare_exchange_strong_explicit(&f, &e, 8, memory_order_acquire, FAILURE) && e == 1)
        assert(d == 1);
    pthread_join(t, 0);
    return 0;
}
