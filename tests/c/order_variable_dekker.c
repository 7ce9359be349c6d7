// run:
// expect: sc=SAFE tso,pso,rmo,alpha,power2010,power=UNSAFE
/* Same fault, other way in: a wrapper as in many libraries (skynet-like `static inline void store(p, v, mo)`), SB with relaxed. TSO: must be UNSAFE. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
static atomic_int x, y;
static int a, b;
static void put(atomic_int *p, int v, memory_order mo) { atomic_store_explicit(p, v, mo); }
static void *w(void *q) { put(&x, 1, memory_order_relaxed); a = atomic_load_explicit(&y, memory_order_relaxed); return 0; }
int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, w, 0);
    put(&y, 1, memory_order_relaxed);
    b = atomic_load_explicit(&x, memory_order_relaxed);
    pthread_join(t, 0);
    assert(a || b);
    return 0;
}
