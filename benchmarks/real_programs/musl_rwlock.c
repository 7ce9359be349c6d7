/* musl's read-write lock, by a writer, a writer that tries, and a reader. */
#include <assert.h>
#include <pthread.h>

static pthread_rwlock_t lock;
static int first, second;

void init(void) { pthread_rwlock_init(&lock, 0); }

void writer(void)
{
    if (pthread_rwlock_trywrlock(&lock) == 0) {
        first++;
        second++;
        pthread_rwlock_unlock(&lock);
    }
}

void reader(void)
{
    if (pthread_rwlock_tryrdlock(&lock) == 0) {
        assert(first == second);
        pthread_rwlock_unlock(&lock);
    }
}
