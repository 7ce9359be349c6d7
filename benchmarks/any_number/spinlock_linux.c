// The spin lock of Linux 2.6.24: who decrements 1 to 0 has it. BROKEN: it may be decremented below 0, too.

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

extern int __VERIFIER_nondet_int(void);

static atomic_int slock = 1;
static int inside;

static void acquire(void)
{
#ifdef BROKEN
    while (atomic_fetch_sub(&slock, 1) < 0)
#else
    while (atomic_fetch_sub(&slock, 1) <= 0)
#endif
        while (slock <= 0)
            ;
}

static void *worker(void *unused)
{
    for (;;) {
        acquire();
        inside++;
        assert(inside == 1);
        inside--;
        slock = 1;
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
