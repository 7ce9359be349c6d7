// Who raises its flag and finds no other one up is alone. BROKEN: the flag is raised once no other one is up.

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#define MAX 64

extern int __VERIFIER_nondet_int(void);

static struct { atomic_bool up; char padding[63]; } flag[MAX];
static int threads;
static int inside;

static bool try_lock(int me)
{
#ifndef BROKEN
    atomic_store(&flag[me].up, true);
#endif
    for (int i = 0; i < threads; i++) {
        if (i == me)
            continue;
        if (atomic_load(&flag[i].up)) {
            atomic_store(&flag[me].up, false);
            return false;
        }
    }
    atomic_store(&flag[me].up, true);
    return true;
}

static void *worker(void *arg)
{
    int me = (int)(intptr_t)arg;
    for (;;) {
        if (!try_lock(me))
            continue;
        inside++;
        assert(inside == 1);
        inside--;
        atomic_store(&flag[me].up, false);
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
