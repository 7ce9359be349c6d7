/* Two threads count under a lock, twice and once: -DMCSLOCK, -DTKTLOCK or -DHEMLOCK. */
#include <assert.h>
#include <pthread.h>
#include <stdint.h>

#if defined MCSLOCK
#include "p64_mcslock.h"
static p64_mcslock_t lock;
static _Thread_local p64_mcsnode_t node;
#define lock_init() p64_mcslock_init(&lock)
#define acquire() p64_mcslock_acquire(&lock, &node)
#define release() p64_mcslock_release(&lock, &node)
#elif defined TKTLOCK
#include "p64_tktlock.h"
static p64_tktlock_t lock;
#define lock_init() p64_tktlock_init(&lock)
#define acquire() p64_tktlock_acquire(&lock)
#define release() p64_tktlock_release(&lock)
#else
#include "p64_hemlock.h"
static p64_hemlock_t lock;
#define lock_init() p64_hemlock_init(&lock)
#define acquire() p64_hemlock_acquire(&lock)
#define release() p64_hemlock_release(&lock)
#endif

static int counter;

static void *count(void *times)
{
    for (intptr_t i = 0; i < (intptr_t)times; i++) {
        acquire();
        counter++;
        release();
    }
    return NULL;
}

int main(void)
{
    pthread_t threads[2];
    lock_init();
    for (intptr_t i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, count, (void *)(i + 1));
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    assert(counter == 3);
    return 0;
}
