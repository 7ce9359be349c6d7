/* Two threads put a value each, main gets both, and closes the channel. */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include "chan.h"

static int values[2];
static chan_t *channel;

static void *put(void *value)
{
    chanOp(0, channel, &value, chanOpPut);
    chanClose(channel);
    return NULL;
}

int main(void)
{
    pthread_t threads[2];
    int seen = 0;
    chanInit(realloc, free);
    channel = chanCreate(0, 0);
    assert(channel);
    for (int i = 0; i < 2; i++) {
        chanOpen(channel);
        pthread_create(&threads[i], NULL, put, &values[i]);
    }
    for (int i = 0; i < 2; i++) {
        void *value;
        chanOs_t status = chanOp(0, channel, &value, chanOpGet);
        assert(status == chanOsGet);
        seen += 1 << ((int *)value - values);
    }
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    assert(seen == 3);
    chanClose(channel);
    return 0;
}
