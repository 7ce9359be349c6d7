/* Two threads count under a lock, twice and once. */
#include <assert.h>
#include <pthread.h>
#include <stdint.h>
#include "p64_tktlock.h"

static p64_tktlock_t lock;
static int counter;

static void *count(void *times)
{
    for (intptr_t i = 0; i < (intptr_t)times; i++) {
        p64_tktlock_acquire(&lock);
        counter++;
        p64_tktlock_release(&lock);
    }
    return NULL;
}

int main(void)
{
    pthread_t threads[2];
    p64_tktlock_init(&lock);
    for (intptr_t i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, count, (void *)(i + 1));
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    assert(counter == 3);
    return 0;
}
