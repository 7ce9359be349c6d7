// A sequence lock whose versions count without end: the writer numbers an update before and after it, and a
// reader that has seen the same number twice has seen one update. A fence is left out when its macro
// is defined to 0. SAFE on SC, TSO and PSO.
// Fewest full fences: 1 on TSO, 3 on PSO.
// On TSO it only keeps the buffer small. On PSO one before the data and one after them are needed;
// without a third there is neither a violation nor a proof.
#include <assert.h>
#include <pthread.h>

#define full() __atomic_thread_fence(__ATOMIC_SEQ_CST)
#ifndef FENCE_BEGIN
#define FENCE_BEGIN 1
#endif
#ifndef FENCE_FIRST
#define FENCE_FIRST 1
#endif
#ifndef FENCE_SECOND
#define FENCE_SECOND 1
#endif
#ifndef FENCE_END
#define FENCE_END 1
#endif

int begin, end, d0, d1;

void *writer(void *arg) {
    int n = 0;
    while (1) {
        n = n + 1;
        begin = n;
        if (FENCE_BEGIN) full();
        d0 = n;
        if (FENCE_FIRST) full();
        d1 = n;
        if (FENCE_SECOND) full();
        end = n;
        if (FENCE_END) full();
    }
    return 0;
}

void *reader(void *arg) {
    int e, a, b;
    while (1) {
        e = end;
        a = d0;
        b = d1;
        if (begin == e)
            assert(a == b);
    }
    return 0;
}

int main(void) {
    pthread_t w, r;
    pthread_create(&w, 0, writer, 0);
    pthread_create(&r, 0, reader, 0);
    return 0;
}
