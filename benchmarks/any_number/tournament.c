// A leaf of a tournament: any number of threads on each side, one of each by a lock, and these two by Peterson's algorithm. BROKEN: a side does not say whose turn it is.

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

extern int __VERIFIER_nondet_int(void);

static atomic_int lock[2];
static atomic_int wants[2], turn;
static int inside;

static void critical(void)
{
    inside++;
    assert(inside == 1);
    inside--;
}

static void *left(void *unused)
{
    for (;;) {
        while (atomic_exchange(&lock[0], 1))
            ;
        wants[0] = 1;
#ifndef BROKEN
        turn = 1;
#endif
        while (wants[1] && turn == 1)
            ;
        critical();
        wants[0] = 0;
        lock[0] = 0;
    }
    return unused;
}

static void *right(void *unused)
{
    for (;;) {
        while (atomic_exchange(&lock[1], 1))
            ;
        wants[1] = 1;
        turn = 0;
        while (wants[0] && turn == 0)
            ;
        critical();
        wants[1] = 0;
        lock[1] = 0;
    }
    return unused;
}

int main(void)
{
    int n = __VERIFIER_nondet_int();
    for (int i = 0; i < n; i++) {
        pthread_t thread;
        pthread_create(&thread, 0, left, 0);
        pthread_create(&thread, 0, right, 0);
    }
}
