// A sequence lock with one writer. BROKEN: readers do not look whether the number is odd.

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

extern int __VERIFIER_nondet_int(void);

static atomic_int seq;
static atomic_int a, b;

static void *writer(void *unused)
{
    for (;;) {
        seq = seq + 1;
        a = 1 - a;
        b = a;
        seq = seq + 1;
    }
    return unused;
}

static void *reader(void *unused)
{
    for (;;) {
        int before = seq;
        int x = a, y = b;
        int after = seq;
#ifdef BROKEN
        if (before == after)
#else
        if (before == after && before % 2 == 0)
#endif
            assert(x == y);
    }
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, writer, 0);
    int n = __VERIFIER_nondet_int();
    for (int i = 0; i < n; i++)
        pthread_create(&thread, 0, reader, 0);
}
