/* A pool of one thread runs one task. */
#include <assert.h>
#include <stddef.h>
#include "loom.h"

static int runs;

static void task(void *arg)
{
    ++*(int *)arg;
}

int main(void)
{
    struct loom *pool;
    loom_config config = {.ring_sz2 = 1, .init_threads = 1, .max_threads = 1};
    loom_task work = {.task_cb = task, .env = &runs};
    assert(loom_init(&config, &pool) == LOOM_INIT_RES_OK);
    assert(loom_enqueue(pool, &work, NULL));
    loom_free(pool);
    assert(runs <= 1);
    return 0;
}
