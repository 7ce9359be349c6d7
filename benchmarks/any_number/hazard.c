// Reclamation with a hazard flag for each thread: who takes the object away frees it when no flag is up. BROKEN: a reader does
// not look again once its flag is up.

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#define MAX 64

extern int __VERIFIER_nondet_int(void);

static atomic_bool hazard[MAX];
static atomic_bool published = true;
static int threads;
static int alive = 1;

static void *worker(void *arg)
{
    int me = (int)(intptr_t)arg;
    for (;;) {
        if (__VERIFIER_nondet_int()) {
            if (!published)
                continue;
            hazard[me] = true;
#ifndef BROKEN
            if (published)
#endif
                assert(alive);
            hazard[me] = false;
        } else if (atomic_exchange(&published, false)) {
            for (int i = 0; i < threads; i++)
                while (hazard[i])
                    ;
            alive = 0;
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
