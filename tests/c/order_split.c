// run:
// expect: sc,tso,pso,rmo,alpha,power=SAFE power2010=UNSAFE
// run: -DRELAXED
// expect: sc,tso,pso=SAFE rmo,alpha,power2010,power=UNSAFE
// run: -DINVALID
// expect: sc,tso,pso,rmo,alpha,power=UNKNOWN power2010=UNSAFE
// run: -DLITERAL
// expect: all=UNKNOWN

/* The order of the load depends on what was read before: it is split on its values. INVALID: one of
   them releases, which C11 does not allow for a load; LITERAL: likewise, as a number. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int way, flag;
static atomic_int data;

#ifdef RELAXED
#define OTHER memory_order_relaxed
#elif defined INVALID
#define OTHER memory_order_release
#else
#define OTHER memory_order_seq_cst
#endif

static void *writer(void *arg)
{
    atomic_store_explicit(&way, 1, memory_order_relaxed);
    atomic_store_explicit(&data, 1, memory_order_relaxed);
    atomic_store_explicit(&flag, 1, memory_order_release);
    return arg;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, writer, 0);
    memory_order mo = atomic_load_explicit(&way, memory_order_relaxed) ? memory_order_acquire : OTHER;
#ifdef LITERAL
    mo = atomic_load_explicit(&flag, memory_order_acq_rel);
#endif
    if (atomic_load_explicit(&flag, mo))
        assert(atomic_load_explicit(&data, memory_order_relaxed) == 1);
    pthread_join(t, 0);
    return 0;
}
