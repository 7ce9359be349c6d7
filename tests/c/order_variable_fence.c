// run:
// expect: sc=SAFE tso,pso,rmo,alpha,power2010,power=UNSAFE
/* A fence whose order is a variable counts as seq_cst: SAFE on TSO; an acquire fence is nothing there: UNSAFE. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
static atomic_int x, y;
static int a, b;
static void fence(memory_order mo) { atomic_thread_fence(mo); }
static void *w(void *q)
{
    atomic_store_explicit(&x, 1, memory_order_relaxed);
    fence(memory_order_acquire);
    a = atomic_load_explicit(&y, memory_order_relaxed);
    return 0;
}
int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, w, 0);
    atomic_store_explicit(&y, 1, memory_order_relaxed);
    fence(memory_order_acquire);
    b = atomic_load_explicit(&x, memory_order_relaxed);
    pthread_join(t, 0);
    assert(a || b);
    return 0;
}
