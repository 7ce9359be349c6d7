/* Readers and writers of skynet's rwlock.h: --parallel writer,writer,reader. */
#include <assert.h>
#include "rwlock.h"

static struct rwlock lock;
static int first, second;

void init(void) { rwlock_init(&lock); }

void writer(void)
{
    rwlock_wlock(&lock);
    first++;
    second++;
    rwlock_wunlock(&lock);
}

void reader(void)
{
    rwlock_rlock(&lock);
    assert(first == second);
    rwlock_runlock(&lock);
}

void check(void) { assert(first == 2 && second == 2); }
