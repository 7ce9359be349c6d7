/* A producer and a consumer of a ring buffer for one element at a time. */
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "ring_buf.h"

static RingBufElement storage[2];
static RingBuf ring;

static void *producer(void *arg)
{
    for (RingBufElement i = 1; i <= 2; i++)
        while (!RingBuf_put(&ring, i))
            ;
    return arg;
}

int main(void)
{
    pthread_t thread;
    RingBuf_ctor(&ring, storage, 2);
    pthread_create(&thread, NULL, producer, NULL);
    for (RingBufElement i = 1; i <= 2; i++) {
        RingBufElement element;
        while (!RingBuf_get(&ring, &element))
            ;
        assert(element == i);
    }
    pthread_join(thread, NULL);
    return 0;
}
