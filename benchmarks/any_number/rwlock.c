// A lock for readers and writers: -1 is a writer, n are n readers. BROKEN: a writer asks for fewer than two readers.

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

extern int __VERIFIER_nondet_int(void);

static atomic_int lock;
static int value, copy;

static void read_lock(void)
{
    for (;;) {
        int seen = lock;
        if (seen >= 0 && atomic_compare_exchange_strong(&lock, &seen, seen + 1))
            return;
    }
}

static void write_lock(void)
{
    for (;;) {
        int seen = 0;
#ifdef BROKEN
        seen = lock > 0;
#endif
        if (atomic_compare_exchange_strong(&lock, &seen, -1))
            return;
    }
}

static void *worker(void *unused)
{
    for (;;) {
        if (__VERIFIER_nondet_int()) {
            read_lock();
            assert(value == copy);
            atomic_fetch_sub(&lock, 1);
        } else {
            write_lock();
            value = 1 - value;
            copy = value;
            lock = 0;
        }
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
