// A lock with an atomic flag. BROKEN: the flag is tested before it is set.

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

extern int __VERIFIER_nondet_int(void);

static atomic_flag lock = ATOMIC_FLAG_INIT;
static atomic_int held;
static int inside;

static void acquire(void)
{
#ifdef BROKEN
    while (held)
        ;
    held = 1;
#else
    while (atomic_flag_test_and_set(&lock))
        ;
#endif
}

static void release(void)
{
#ifdef BROKEN
    held = 0;
#else
    atomic_flag_clear(&lock);
#endif
}

static void *worker(void *unused)
{
    for (;;) {
        acquire();
        inside++;
        assert(inside == 1);
        inside--;
        release();
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
