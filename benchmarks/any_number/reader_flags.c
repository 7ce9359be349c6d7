// A reader-writer lock with a flag for each reader; a writer waits until all of them are down. BROKEN: a reader does not
// look for a writer once its flag is up.

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#define MAX 64

extern int __VERIFIER_nondet_int(void);

static struct { atomic_bool reading; char padding[63]; } slot[MAX];
static atomic_bool writing;
static int threads;
static int first, second;

static void read_lock(int me)
{
    for (;;) {
        atomic_store(&slot[me].reading, true);
#ifndef BROKEN
        if (!atomic_load(&writing))
#endif
            return;
        atomic_store(&slot[me].reading, false);
        while (atomic_load(&writing))
            ;
    }
}

static void write_lock(void)
{
    while (atomic_exchange(&writing, true))
        ;
    for (int i = 0; i < threads; i++)
        while (atomic_load(&slot[i].reading))
            ;
}

static void *worker(void *arg)
{
    int me = (int)(intptr_t)arg;
    for (;;) {
        if (__VERIFIER_nondet_int()) {
            read_lock(me);
            int a = first, b = second;
            assert(a == b);
            atomic_store(&slot[me].reading, false);
        } else {
            write_lock();
            first++;
            second++;
            atomic_store(&writing, false);
        }
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
