// Burns' lock, a flag for each thread: who finds the flag of a smaller number up begins again, who finds that of a larger
// number up waits (Burns and Lynch, "Bounds on shared memory for mutual exclusion", Information and Computation 107, 1993).
// BROKEN: nobody waits for larger numbers.

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

#define MAX 64

extern int __VERIFIER_nondet_int(void);

static atomic_int flag[MAX];
static int threads;
static int inside;

static void lock(int me)
{
again:
    flag[me] = 0;
    for (int j = 0; j < me; j++)
        if (flag[j])
            goto again;
    flag[me] = 1;
    for (int j = 0; j < me; j++)
        if (flag[j])
            goto again;
#ifndef BROKEN
    for (int j = me + 1; j < threads; j++)
        while (flag[j])
            ;
#endif
}

static void unlock(int me)
{
    flag[me] = 0;
}

static void *worker(void *arg)
{
    int me = (int)(intptr_t)arg;
    for (;;) {
        lock(me);
        inside++;
        assert(inside == 1);
        inside--;
        unlock(me);
    }
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
