// A channel that a function makes and returns: the others are called with it. Without that function their
// object has any contents.
// run: --setup chan_open --parallel chan_send,chan_receive --finally chan_check
// expect: sc,tso,rc11=SAFE
// run: --setup chan_open,chan_fill --parallel chan_receive --finally chan_check
// expect: sc,tso,rc11=SAFE
// run: --setup chan_open --parallel racy_send,racy_send --finally chan_check
// expect: sc=UNSAFE
// run: --setup chan_open --function chan_check
// expect: sc=SAFE
// run: --parallel chan_send,chan_receive --finally chan_check
// expect: sc,tso=UNSAFE
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

struct chan { pthread_mutex_t lock; int sent, received; };

struct chan *chan_open(void) {
  struct chan *c = malloc(sizeof *c);
  pthread_mutex_init(&c->lock, 0);
  c->sent = c->received = 0;
  return c;
}

void chan_fill(struct chan *c) { c->sent = 1; }

void chan_send(struct chan *c) {
  pthread_mutex_lock(&c->lock);
  if (c->sent == c->received) c->sent++;
  pthread_mutex_unlock(&c->lock);
}

int chan_receive(struct chan *c) {
  pthread_mutex_lock(&c->lock);
  int some = c->received < c->sent;
  if (some) c->received++;
  pthread_mutex_unlock(&c->lock);
  return some;
}

void racy_send(struct chan *c) { c->sent = c->sent + 1; if (c->sent == 2) c->received = 3; }

void chan_check(struct chan *c) { assert(c->received <= c->sent && c->sent <= 1 + c->received); }
