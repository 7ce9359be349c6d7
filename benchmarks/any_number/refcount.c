// A counted reference that is taken only while there are others. BROKEN: it is taken in any case.

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

extern int __VERIFIER_nondet_int(void);

static atomic_int count = 1;
static atomic_int freed, dropped;

static int get(void)
{
#ifdef BROKEN
    atomic_fetch_add(&count, 1);
    return 1;
#else
    int seen = count;
    while (seen > 0)
        if (atomic_compare_exchange_strong(&count, &seen, seen + 1))
            return 1;
    return 0;
#endif
}

static void put(void)
{
    if (atomic_fetch_sub(&count, 1) == 1)
        freed = 1;
}

static void *worker(void *unused)
{
    if (get()) {
        assert(!freed);
        put();
    }
    if (!atomic_exchange(&dropped, 1))
        put();
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
