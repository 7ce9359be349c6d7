// run:
// expect: all=SAFE
// run: -DCARRIED --unwind 3
// expect: all=SAFE
// run: -DLOCK
// expect: sc,tso,pso,rmo,alpha,power=SAFE power2010=UNSAFE

/* A failure for no reason is a round that changes nothing: loops around a weak compare-exchange
   are proved as those around a strong one. CARRIED: the value that the failed one found is used in
   the next round. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int x;
static int data;

#ifdef LOCK
static void lock(void)
{
    int e = 0;
    while (!atomic_compare_exchange_weak_explicit(&x, &e, 1, memory_order_acquire,
                                                  memory_order_relaxed))
        e = 0;
}

static void add(void)
{
    lock();
    data++;
    atomic_store_explicit(&x, 0, memory_order_release);
}
#elif defined CARRIED
static void add(void)
{
    int e = atomic_load(&x);
    while (!atomic_compare_exchange_weak(&x, &e, e + 1))
        ;
}
#else
static void add(void)
{
    int e;
    do
        e = atomic_load(&x);
    while (!atomic_compare_exchange_weak(&x, &e, e + 1));
}
#endif

static void *run(void *arg)
{
    add();
    return arg;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, run, 0);
    add();
    pthread_join(t, 0);
#ifdef LOCK
    assert(data == 2);
#else
    assert(x == 2);
#endif
    return 0;
}
