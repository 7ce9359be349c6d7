/* Two services push to a message queue while a worker dispatches. */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include "skynet_mq.h"

static struct message_queue *queue;

static void *service(void *arg)
{
    struct skynet_message message = {.source = 1, .session = *(int *)arg};
    skynet_mq_push(queue, &message);
    return NULL;
}

static void drop(struct skynet_message *message, void *count)
{
    (void)message;
    ++*(int *)count;
}

int main(void)
{
    pthread_t threads[2];
    int sessions[2] = {1, 2};
    int count = 0;
    struct skynet_message message;
    skynet_mq_init();
    queue = skynet_mq_create(7);
    skynet_globalmq_push(queue);
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, service, &sessions[i]);
    struct message_queue *mine = skynet_globalmq_pop();
    assert(mine == queue);
    if (skynet_mq_pop(mine, &message) == 0) {
        assert(message.session == 1 || message.session == 2);
        count++;
        skynet_globalmq_push(mine);
    }
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    skynet_globalmq_pop();
    skynet_mq_mark_release(queue);
    skynet_mq_release(queue, drop, &count);
    assert(count == 2);
    return 0;
}
