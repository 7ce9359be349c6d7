// The counter of a stack's elements: who pops has seen one. BROKEN: the pop is not atomic.

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

extern int __VERIFIER_nondet_int(void);

static atomic_int elements;

static void pop(void)
{
    int seen = elements;
    while (seen > 0)
#ifdef BROKEN
    {
        atomic_fetch_sub(&elements, 1);
        return;
    }
#else
        if (atomic_compare_exchange_strong(&elements, &seen, seen - 1))
            return;
#endif
}

static void *worker(void *unused)
{
    for (;;) {
        if (__VERIFIER_nondet_int())
            atomic_fetch_add(&elements, 1);
        else
            pop();
        assert(elements >= 0);
    }
    return unused;
}

int main(void)
{
    int n = __VERIFIER_nondet_int();
    for (int i = 0; i < n; i++) {
        pthread_t thread;
        pthread_create(&thread, 0, worker, 0);
    }
}
