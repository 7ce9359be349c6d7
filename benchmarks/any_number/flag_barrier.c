// A barrier with a flag for each thread. BROKEN: a thread raises its flag before its work is done.

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#define MAX 64

extern int __VERIFIER_nondet_int(void);

static atomic_bool arrived[MAX];
static int work[MAX];
static int threads;

static void *worker(void *arg)
{
    int me = (int)(intptr_t)arg;
#ifdef BROKEN
    arrived[me] = true;
    work[me] = 1;
#else
    work[me] = 1;
    arrived[me] = true;
#endif
    for (int i = 0; i < threads; i++)
        while (!arrived[i])
            ;
    for (int i = 0; i < threads; i++)
        assert(work[i] == 1);
    return arg;
}

int main(void)
{
    threads = __VERIFIER_nondet_int();
    if (threads > MAX)
        return 1;
    for (int i = 0; i < threads; i++) {
        pthread_t thread;
        pthread_create(&thread, 0, worker, (void *)(intptr_t)i);
    }
}
