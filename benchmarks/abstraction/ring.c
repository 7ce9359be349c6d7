// A ring buffer of two slots with counters that grow without bound: nobody writes a full slot
// or takes from an empty one. A fence is left out when its macro is defined to 0. SAFE on SC, TSO and PSO.
// Fewest full fences: 2 on TSO, 2 on PSO.
// On PSO one after each store to a slot is needed (FENCE_SLOT, FENCE_TAKE); on TSO fewer are not proved.
#include <assert.h>
#include <pthread.h>

#define full() __atomic_thread_fence(__ATOMIC_SEQ_CST)
#ifndef FENCE_SLOT
#define FENCE_SLOT 1
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

int Head, Tail, slots[2];

void *zero(void *arg) {
    int h = 0, i = 0;
    while (1) {
        while (h - Tail >= 2)
            ;
        if (i == 0) {
            assert(slots[0] == 0);
            slots[0] = 1;
            i = 1;
        } else {
            assert(slots[1] == 0);
            slots[1] = 1;
            i = 0;
        }
        if (FENCE_SLOT) full();
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
        if (j == 0) {
            assert(slots[0] == 1);
            slots[0] = 0;
            j = 1;
        } else {
            assert(slots[1] == 1);
            slots[1] = 0;
            j = 0;
        }
        if (FENCE_TAKE) full();
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
