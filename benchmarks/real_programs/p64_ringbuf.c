/* Two producers and a consumer on a blocking ring of two elements. */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>
#include "p64_ringbuf.h"

static p64_ringbuf_t *ring;
static int items[2];

static void *produce(void *item)
{
    while (p64_ringbuf_enqueue(ring, &item, 1) == 0)
        ;
    return NULL;
}

int main(void)
{
    pthread_t threads[2];
    int seen[2] = {0, 0};
    ring = p64_ringbuf_alloc(2, P64_RINGBUF_F_MPENQ | P64_RINGBUF_F_MCDEQ, sizeof(void *));
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, produce, &items[i]);
    for (int i = 0; i < 2; i++) {
        void *item;
        uint32_t index;
        while (p64_ringbuf_dequeue(ring, &item, 1, &index) == 0)
            ;
        seen[(int *)item - items]++;
    }
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    assert(seen[0] == 1 && seen[1] == 1);
    p64_ringbuf_free(ring);
    return 0;
}
