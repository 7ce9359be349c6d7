// A queue in an array of N elements, one thread appends and one takes; Head and Tail count without end.
// Memory safety: an element is written when it is free and read when it is in the queue. A
// fence is left out when its macro is defined to 0. SAFE on SC, TSO and PSO.
// Fewest full fences: 2 on TSO, 2 on PSO.
// No violation without them is known: up to N stores of a counter may be buffered, which these
// predicates do not prove.
#include <assert.h>
#include <pthread.h>

#define full() __atomic_thread_fence(__ATOMIC_SEQ_CST)
#ifndef FENCE_HEAD
#define FENCE_HEAD 1
#endif
#ifndef FENCE_TAIL
#define FENCE_TAIL 1
#endif

#define N 4
int Head, Tail;

void *zero(void *arg) {
    int h = 0;
    while (1) {
        while (h - Tail >= N)
            ;
        // The element h is free.
        assert(h < Tail + N);
        h = h + 1;
        Head = h;
        if (FENCE_HEAD) full();
    }
    return 0;
}

void *one(void *arg) {
    int t = 0;
    while (1) {
        while (Head <= t)
            ;
        // The element t is in the queue.
        assert(t < Head);
        t = t + 1;
        Tail = t;
        if (FENCE_TAIL) full();
    }
    return 0;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, zero, 0);
    pthread_create(&b, 0, one, 0);
    return 0;
}
