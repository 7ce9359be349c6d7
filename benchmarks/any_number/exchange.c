// A lock with an exchange. BROKEN: it is released before the critical section has ended.

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

extern int __VERIFIER_nondet_int(void);

static atomic_int lock;
static int inside;

static void *worker(void *unused)
{
    for (;;) {
        while (atomic_exchange(&lock, 1))
            ;
        inside++;
        assert(inside == 1);
#ifdef BROKEN
        lock = 0;
        inside--;
#else
        inside--;
        lock = 0;
#endif
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
