// One-time initialisation by whoever comes first. BROKEN: who is not first does not wait.

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

extern int __VERIFIER_nondet_int(void);

enum { FRESH, RUNNING, DONE };
static atomic_int state;
static int value;

static void *worker(void *unused)
{
    int expected = FRESH;
    if (state != DONE) {
        if (atomic_compare_exchange_strong(&state, &expected, RUNNING)) {
            value = 7;
            state = DONE;
#ifdef BROKEN
        }
#else
        } else {
            while (state != DONE)
                ;
        }
#endif
    }
    assert(value == 7);
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
