// A compare-and-swap that surely fails is one instruction of the machine all the same: on x86 a
// full fence. The cell is one that no other thread touches, so what it reads is known beforehand.
//
// run: -DCAS -DEXPECTED=1
// expect: sc,tso=SAFE
//
// run: -DCAS -DEXPECTED=0
// expect: sc,tso=SAFE
//
// run:
// expect: sc=SAFE tso=UNSAFE
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

int x, y, r1, r2;
atomic_int own1, own2;

#ifdef CAS
#define BETWEEN(own)                                                                              \
    int old = EXPECTED;                                                                           \
    atomic_compare_exchange_strong_explicit(&own, &old, 1, memory_order_relaxed,                  \
                                            memory_order_relaxed);
#else
#define BETWEEN(own)
#endif

void *one(void *a)
{
    x = 1;
    BETWEEN(own1)
    r1 = y;
    return 0;
}

void *two(void *a)
{
    y = 1;
    BETWEEN(own2)
    r2 = x;
    return 0;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, one, 0);
    pthread_create(&b, 0, two, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(r1 || r2);
    return 0;
}
