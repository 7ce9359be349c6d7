// Any number of helpers, one of whom does the work. BROKEN: the claim is not atomic.

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

extern int __VERIFIER_nondet_int(void);

static atomic_int claimed, done;
static int result;

static void *worker(void *unused)
{
#ifdef BROKEN
    if (!claimed) {
        claimed = 1;
#else
    if (!atomic_exchange(&claimed, 1)) {
#endif
        result++;
        done = 1;
    }
    if (done)
        assert(result == 1);
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
