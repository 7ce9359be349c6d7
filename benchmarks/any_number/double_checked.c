// Double-checked locking. BROKEN: the flag is set before the value.

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

extern int __VERIFIER_nondet_int(void);

static atomic_int ready, lock;
static int value, made;

static void *worker(void *unused)
{
    if (!ready) {
        while (atomic_exchange(&lock, 1))
            ;
        if (!ready) {
            made++;
            assert(made == 1);
#ifdef BROKEN
            ready = 1;
            value = 7;
#else
            value = 7;
            ready = 1;
#endif
        }
        lock = 0;
    }
    assert(value == 7);
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
