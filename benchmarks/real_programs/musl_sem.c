/* musl's semaphore: the poster's data is there when a waiter goes on. */
#include <assert.h>
#include <semaphore.h>

static sem_t semaphore;
static int data;

void init(void) { sem_init(&semaphore, 0, 0); }

void poster(void)
{
    data = 1;
    sem_post(&semaphore);
}

void waiter(void)
{
    if (sem_timedwait(&semaphore, 0) == 0) {
        assert(data == 1);
        sem_post(&semaphore);
    }
}
