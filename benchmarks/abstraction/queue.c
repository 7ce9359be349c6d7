// A queue in an array of N elements, one thread appends and one takes; Head and Tail count without end.
// An element is written when it is free and holds nothing, and read when it is in the queue and holds
// what was written. A fence is left out when its macro is defined to 0. SAFE on SC, TSO and PSO.
// Fewest full fences: 2 on TSO, 2 on PSO.
// On PSO one after each store to an element is needed (FENCE_WRITE, FENCE_TAKE); on TSO fewer are not proved, as
// a buffer may then have any number of entries.
#include <assert.h>
#include <pthread.h>

#define full() __atomic_thread_fence(__ATOMIC_SEQ_CST)
#ifndef FENCE_WRITE
#define FENCE_WRITE 1
#endif
#ifndef FENCE_HEAD
#define FENCE_HEAD 1
#endif
#ifndef FENCE_TAKE
#define FENCE_TAKE 1
#endif
#ifndef FENCE_TAIL
#define FENCE_TAIL 1
#endif

#define N 4
int Head, Tail, elements[N];

void *zero(void *arg) {
    int h = 0, i = 0;
    while (1) {
        while (h - Tail >= N)
            ;
        // The element h is free.
        assert(h < Tail + N);
        assert(elements[i] == 0);
        elements[i] = 1;
        if (FENCE_WRITE) full();
        i = i + 1;
        if (i == N) i = 0;
        h = h + 1;
        Head = h;
        if (FENCE_HEAD) full();
    }
    return 0;
}

void *one(void *arg) {
    int t = 0, j = 0;
    while (1) {
        while (Head <= t)
            ;
        // The element t is in the queue.
        assert(t < Head);
        assert(elements[j] == 1);
        elements[j] = 0;
        if (FENCE_TAKE) full();
        j = j + 1;
        if (j == N) j = 0;
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
