// A mutex of the library. BROKEN: a thread that does not get it at once goes on.

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

extern int __VERIFIER_nondet_int(void);

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int inside;

static void *worker(void *unused)
{
    for (;;) {
#ifdef BROKEN
        pthread_mutex_trylock(&mutex);
#else
        pthread_mutex_lock(&mutex);
#endif
        inside++;
        assert(inside == 1);
        inside--;
        pthread_mutex_unlock(&mutex);
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
