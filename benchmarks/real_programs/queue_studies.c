/* Two producers and a consumer of the queue that -DQUEUE=NAME names. */
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "HazardPointer.h"
#include "common.h"

#define JOIN(a, b) a##b
#define NAME(a, b) JOIN(a, b)
struct QUEUE *NAME(QUEUE, _new)(void);
void NAME(QUEUE, _push)(struct QUEUE *, Value);
Value NAME(QUEUE, _pop)(struct QUEUE *);
void NAME(QUEUE, _delete)(struct QUEUE *);

static struct QUEUE *queue;

static void *producer(void *arg)
{
    HazardPointer_register((int)(intptr_t)arg, 3);
    NAME(QUEUE, _push)(queue, (intptr_t)arg);
    return NULL;
}

int main(void)
{
    pthread_t threads[2];
    Value sum = 0;
    HazardPointer_register(0, 3);
    queue = NAME(QUEUE, _new)();
    for (intptr_t i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, producer, (void *)(i + 1));
    sum += NAME(QUEUE, _pop)(queue);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    for (Value value; (value = NAME(QUEUE, _pop)(queue)) != EMPTY_VALUE;)
        sum += value;
    assert(sum == 3);
    NAME(QUEUE, _delete)(queue);
    return 0;
}
