// run:
// expect: sc,tso,pso=SAFE rmo,alpha,power2010,power=UNSAFE
// run: --check race
// expect: all=UNSAFE
/* The memory order is a parameter, as in sysprog21's mcslock.c. On Power a relaxed flag lets data be 0. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
static atomic_int flag;
static int data;
static inline int get(atomic_int *p, memory_order mo) { return atomic_load_explicit(p, mo); }
static void *w(void *a)
{
    data = 1;
    atomic_store_explicit(&flag, 1, memory_order_release);
    return 0;
}
int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, w, 0);
    if (get(&flag, memory_order_relaxed)) assert(data == 1);
    pthread_join(t, 0);
    return 0;
}
