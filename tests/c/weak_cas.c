// run:
// expect: all=UNSAFE
// run: --weak-cas machine
// expect: sc,tso,pso,rmo=SAFE alpha,power2010,power=UNSAFE
// run: -DSTRONG
// expect: all=SAFE
// run: -DGNU
// expect: all=UNSAFE
// run: -DGNU --weak-cas machine
// expect: sc,tso,pso,rmo=SAFE alpha,power2010,power=UNSAFE
// run: -DGNU -DSTRONG
// expect: all=SAFE

/* A weak compare-exchange may fail although the value is the expected one (C11 7.17.7.4). GNU: how
   weak it is, is the value of a parameter. */
#include <assert.h>
#include <stdatomic.h>
#include <stdbool.h>

#ifdef STRONG
#define KIND 0
#else
#define KIND 1
#endif

static atomic_int x;

static bool swap(int *e, int d, bool weak)
{
#ifdef GNU
    return __atomic_compare_exchange_n(&x, e, d, weak, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
#elif defined STRONG
    return atomic_compare_exchange_strong(&x, e, d);
#else
    return atomic_compare_exchange_weak(&x, e, d);
#endif
}

int main(void)
{
    int e = 0;
    bool ok = swap(&e, 1, KIND);
    assert(e == 0);
    assert(ok);
    assert(x == 1);
    return 0;
}
