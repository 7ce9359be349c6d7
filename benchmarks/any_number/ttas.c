// Test, and test-and-set. BROKEN: the second test is left out.

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

extern int __VERIFIER_nondet_int(void);

static atomic_int lock;
static int inside;

static void acquire(void)
{
    for (;;) {
        while (lock)
            ;
#ifdef BROKEN
        lock = 1;
        return;
#else
        if (!atomic_exchange(&lock, 1))
            return;
#endif
    }
}

static void *worker(void *unused)
{
    for (;;) {
        acquire();
        inside++;
        assert(inside == 1);
        inside--;
        lock = 0;
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
