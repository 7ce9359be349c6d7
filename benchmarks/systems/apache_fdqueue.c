// The socket hand-over of Apache httpd's worker MPM (server/mpm/worker/fdqueue.c, 2.2 and 2.4): the
// listener waits for an idle worker, takes a pool from the list of recycled ones, puts socket and
// pool into a bounded queue; workers take them out, serve, recycle the pool by compare-and-swap and
// count themselves idle. APR's atomic operations are gcc's __sync builtins, as in APR.
//
// Checked, as in the CAV 2013 paper: a worker finds the payload that the listener put there, in a
// pool that nobody else uses; and the queue never overflows, since an idle worker was reserved.
// The counter of idle workers and the list need no more than the atomicity of their operations and
// the barriers of the builtins; everything else is under the mutex. So it is SAFE on all models.
// A wait on a condition variable may end for no reason. Executions where one does are left out
// (they go back to sleep), but with -DNO_RECHECK, where the listener does not look again (bug 45605).
//
// run: -DWORKERS=1 --unwind 1
// expect: all=SAFE
//
// run: -DWORKERS=1 -DROUNDS=2 --unwind 2
// expect: sc,tso,pso,rmo,alpha,power2010=SAFE
//
// run: -DWORKERS=2 --unwind 2
// expect: sc,tso,pso,rmo,alpha,power2010=SAFE
//
// run: -DWORKERS=1 -DTERMINATE --unwind 1
// expect: sc,tso,pso,rmo,alpha,power2010=SAFE
//
// run: -DWORKERS=1 -DROUNDS=2 -DNO_RECHECK --unwind 2
// expect: sc,tso,pso,rmo,alpha,power2010=UNSAFE
//
// run: -DWORKERS=1 -DNO_MUTEX --unwind 1
// expect: sc,tso=SAFE pso,rmo,alpha,power2010,power=UNSAFE

#include <assert.h>
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

extern void __VERIFIER_assume(int);

#ifndef WORKERS
#define WORKERS 2
#endif
#ifndef ROUNDS
#define ROUNDS 1
#endif
#define SOCKETS (WORKERS * ROUNDS)

typedef int apr_status_t;
enum { APR_SUCCESS, APR_EOF, APR_EINTR };

static uint32_t apr_atomic_inc32(volatile uint32_t *mem) { return __sync_fetch_and_add(mem, 1); }
static int apr_atomic_dec32(volatile uint32_t *mem) { return __sync_sub_and_fetch(mem, 1) != 0; }

typedef struct socket {
  int fd;
} socket_t;

/* A pool holds whatever lives as long as a connection, the node of the list of pools included. */
typedef struct pool {
  socket_t *connection;
  struct recycled_pool {
    struct pool *pool;
    struct recycled_pool *next;
  } node;
} pool_t;

typedef struct {
  volatile uint32_t idlers;
  pthread_mutex_t idlers_mutex;
  pthread_cond_t wait_for_idler;
  int terminated;
  struct recycled_pool *recycled_pools;
} fd_queue_info_t;

typedef struct {
  socket_t *sd;
  pool_t *p;
} fd_queue_elem_t;

typedef struct {
  fd_queue_elem_t data[WORKERS];
  unsigned nelts, bounds, in, out;
  pthread_mutex_t one_big_mutex;
  pthread_cond_t not_empty;
  int terminated;
} fd_queue_t;

fd_queue_info_t info = {.idlers_mutex = PTHREAD_MUTEX_INITIALIZER, .wait_for_idler = PTHREAD_COND_INITIALIZER};
fd_queue_t queue = {
    .bounds = WORKERS, .one_big_mutex = PTHREAD_MUTEX_INITIALIZER, .not_empty = PTHREAD_COND_INITIALIZER};
socket_t sockets[SOCKETS];
pool_t pools[SOCKETS];
int created;

static void queue_lock(fd_queue_t *q) {
#ifndef NO_MUTEX
  pthread_mutex_lock(&q->one_big_mutex);
#endif
}

static void queue_unlock(fd_queue_t *q) {
#ifndef NO_MUTEX
  pthread_mutex_unlock(&q->one_big_mutex);
#endif
}

static void set_idle(fd_queue_info_t *qi, pool_t *pool_to_recycle) {
  if (pool_to_recycle) {
    struct recycled_pool *node = &pool_to_recycle->node;
    node->pool = pool_to_recycle;
    for (;;) {
      struct recycled_pool *next = qi->recycled_pools;
      node->next = next;
      if (__sync_val_compare_and_swap(&qi->recycled_pools, next, node) == next) {
        break;
      }
    }
  }
  if (apr_atomic_inc32(&qi->idlers) == 0) {
    pthread_mutex_lock(&qi->idlers_mutex);
    pthread_cond_signal(&qi->wait_for_idler);
    pthread_mutex_unlock(&qi->idlers_mutex);
  }
}

/* For the listener alone: with two of them the list had an ABA problem. */
static apr_status_t wait_for_idler(fd_queue_info_t *qi, pool_t **recycled) {
  *recycled = NULL;
  if (qi->idlers == 0) {
    pthread_mutex_lock(&qi->idlers_mutex);
    if (qi->idlers == 0) {
      pthread_cond_wait(&qi->wait_for_idler, &qi->idlers_mutex);
#ifndef NO_RECHECK
      __VERIFIER_assume(qi->idlers != 0);
#endif
    }
    pthread_mutex_unlock(&qi->idlers_mutex);
  }
  apr_atomic_dec32(&qi->idlers);
  for (;;) {
    struct recycled_pool *first = qi->recycled_pools;
    if (first == NULL) {
      break;
    }
    if (__sync_val_compare_and_swap(&qi->recycled_pools, first, first->next) == first) {
      *recycled = first->pool;
      break;
    }
  }
  return qi->terminated ? APR_EOF : APR_SUCCESS;
}

static apr_status_t queue_push(fd_queue_t *q, socket_t *sd, pool_t *p) {
  queue_lock(q);
  assert(!q->terminated);
  assert(q->nelts < q->bounds);
  fd_queue_elem_t *elem = &q->data[q->in];
  q->in++;
  if (q->in >= q->bounds) {
    q->in -= q->bounds;
  }
  elem->sd = sd;
  elem->p = p;
  q->nelts++;
  pthread_cond_signal(&q->not_empty);
  queue_unlock(q);
  return APR_SUCCESS;
}

static apr_status_t queue_pop(fd_queue_t *q, socket_t **sd, pool_t **p) {
  queue_lock(q);
  if (q->nelts == 0) {
    if (!q->terminated) {
#ifndef NO_MUTEX
      pthread_cond_wait(&q->not_empty, &q->one_big_mutex);
#endif
      __VERIFIER_assume(q->nelts != 0 || q->terminated);
    }
    if (q->nelts == 0) {
      queue_unlock(q);
      return q->terminated ? APR_EOF : APR_EINTR;
    }
  }
  fd_queue_elem_t *elem = &q->data[q->out];
  q->out++;
  if (q->out >= q->bounds) {
    q->out -= q->bounds;
  }
  q->nelts--;
  *sd = elem->sd;
  *p = elem->p;
  queue_unlock(q);
  return APR_SUCCESS;
}

static void terminate(fd_queue_info_t *qi, fd_queue_t *q) {
  pthread_mutex_lock(&qi->idlers_mutex);
  qi->terminated = 1;
  pthread_cond_broadcast(&qi->wait_for_idler);
  pthread_mutex_unlock(&qi->idlers_mutex);
  queue_lock(q);
  q->terminated = 1;
  pthread_cond_broadcast(&q->not_empty);
  queue_unlock(q);
}

static pool_t *serve(void) {
  socket_t *sd;
  pool_t *p;
  if (queue_pop(&queue, &sd, &p) != APR_SUCCESS) {
    return NULL;
  }
  assert(p->connection == sd);
  assert(sd->fd == 3 + (sd - sockets));
  p->connection = NULL; /* apr_pool_clear() */
  return p;
}

void *worker(void *arg) {
  pool_t *last = NULL;
#ifdef TERMINATE
  do {
    set_idle(&info, last);
    last = serve();
  } while (last);
#else
  for (int round = 0; round < ROUNDS; round++) {
    set_idle(&info, last);
    last = serve();
  }
  set_idle(&info, last);
#endif
  return 0;
}

void *listener(void *arg) {
  for (int i = 0; i < SOCKETS; i++) {
    pool_t *p;
    wait_for_idler(&info, &p);
    if (p == NULL) {
      p = &pools[created++];
    }
    assert(p->connection == NULL);
    sockets[i].fd = 3 + i; /* accept() */
    p->connection = &sockets[i];
    queue_push(&queue, &sockets[i], p);
  }
#ifdef TERMINATE
  terminate(&info, &queue);
#endif
  return 0;
}

int main(void) {
  pthread_t workers[WORKERS], l;
  for (int i = 0; i < WORKERS; i++) {
    pthread_create(&workers[i], 0, worker, 0);
  }
  pthread_create(&l, 0, listener, 0);
  for (int i = 0; i < WORKERS; i++) {
    pthread_join(workers[i], 0);
  }
  pthread_join(l, 0);
  return 0;
}
