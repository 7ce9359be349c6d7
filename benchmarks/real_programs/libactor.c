/* An actor answers the message of another one. */
#include <assert.h>
#include <stddef.h>
#include "actor.h"

enum { PING = 100, PONG };

static void *pong(void *arg)
{
    actor_msg_t *message = actor_receive();
    if (message) {
        assert(message->type == PING);
        actor_reply_msg(message, PONG, &message->type, sizeof(message->type));
        arelease(message->data);
        arelease(message);
    }
    return arg;
}

static void *ping(void *arg)
{
    long text = 1;
    actor_id partner = spawn_actor(pong, NULL);
    actor_send_msg(partner, PING, &text, sizeof(text));
    actor_msg_t *message = actor_receive();
    if (message) {
        assert(message->type == PONG);
        arelease(message->data);
        arelease(message);
    }
    return arg;
}

int main(void)
{
    spawn_actor(ping, NULL);
    actor_wait_finish();
    actor_destroy_all();
    return 0;
}
