// The producer and the consumer of every textbook: a ring of five, ten items, two semaphores. How
// often each has counted up and down says which item is where.
//
// run: --check assert,memory
// expect: sc,tso,pso=SAFE
//
// run: -DBROKEN --check assert,memory
// expect: sc,tso,pso=UNSAFE
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#define N 5
#define ITEMS 10

#ifdef BROKEN
#define PLACES (N + 1)
#else
#define PLACES N
#endif

static int buffer[N];
static int in, out;
static sem_t empty, full;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static void *producer(void *a)
{
    for (int i = 0; i < ITEMS; i++) {
        sem_wait(&empty);
        pthread_mutex_lock(&m);
        buffer[in] = i;
        in = (in + 1) % N;
        pthread_mutex_unlock(&m);
        sem_post(&full);
    }
    return 0;
}

static void *consumer(void *a)
{
    for (int i = 0; i < ITEMS; i++) {
        sem_wait(&full);
        pthread_mutex_lock(&m);
        int x = buffer[out];
        out = (out + 1) % N;
        pthread_mutex_unlock(&m);
        sem_post(&empty);
        assert(x == i);
    }
    return 0;
}

int main(void)
{
    pthread_t p, c;
    sem_init(&empty, 0, PLACES);
    sem_init(&full, 0, 0);
    pthread_create(&p, 0, producer, 0);
    pthread_create(&c, 0, consumer, 0);
    pthread_join(p, 0);
    pthread_join(c, 0);
    return 0;
}
