// A ticket lock. BROKEN: taking a ticket is not atomic.

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

extern int __VERIFIER_nondet_int(void);

static atomic_int next_ticket, now_serving;
static int inside;

static int take(void)
{
#ifdef BROKEN
    int ticket = next_ticket;
    next_ticket = ticket + 1;
    return ticket;
#else
    return atomic_fetch_add(&next_ticket, 1);
#endif
}

static void *worker(void *unused)
{
    for (;;) {
        int ticket = take();
        while (now_serving != ticket)
            ;
        inside++;
        assert(inside == 1);
        inside--;
        now_serving = ticket + 1;
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
