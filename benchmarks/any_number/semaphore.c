// A semaphore with two permits. BROKEN: the decrement is not atomic.

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

extern int __VERIFIER_nondet_int(void);

static atomic_int permits = 2;
static atomic_int inside;

static void acquire(void)
{
    for (;;) {
        int seen = permits;
        if (seen == 0)
            continue;
#ifdef BROKEN
        permits = seen - 1;
        return;
#else
        if (atomic_compare_exchange_strong(&permits, &seen, seen - 1))
            return;
#endif
    }
}

static void *worker(void *unused)
{
    for (;;) {
        acquire();
        int before = atomic_fetch_add(&inside, 1);
        assert(before < 2);
        atomic_fetch_sub(&inside, 1);
        atomic_fetch_add(&permits, 1);
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
