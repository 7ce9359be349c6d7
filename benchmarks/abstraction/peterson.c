// Peterson's mutual exclusion, both threads without end. Each fence is left out when its macro is
// defined to 0. SAFE on SC, TSO and PSO.
// Fewest full fences: 2 on TSO, 6 on PSO.
// On TSO a thread needs one between its stores and the look at the other's flag (FENCE_LOOK), on PSO
// one between the stores (FENCE_STORES) and one before the release (FENCE_INSIDE), too.
#include <assert.h>
#include <pthread.h>

#define full() __atomic_thread_fence(__ATOMIC_SEQ_CST)
#ifndef FENCE_STORES
#define FENCE_STORES 1
#endif
#ifndef FENCE_LOOK
#define FENCE_LOOK 1
#endif
#ifndef FENCE_INSIDE
#define FENCE_INSIDE 1
#endif
#ifndef FENCE_LEAVE
#define FENCE_LEAVE 1
#endif

int flag0, flag1, turn, inside;

void *zero(void *arg) {
    while (1) {
        flag0 = 1;
        if (FENCE_STORES) full();
        turn = 1;
        if (FENCE_LOOK) full();
        while (flag1 != 0 && turn != 0)
            ;
        inside = 0;
        if (FENCE_INSIDE) full();
        assert(inside == 0);
        flag0 = 0;
        if (FENCE_LEAVE) full();
    }
    return 0;
}

void *one(void *arg) {
    while (1) {
        flag1 = 1;
        if (FENCE_STORES) full();
        turn = 0;
        if (FENCE_LOOK) full();
        while (flag0 != 0 && turn == 0)
            ;
        inside = 1;
        if (FENCE_INSIDE) full();
        assert(inside != 0);
        flag1 = 0;
        if (FENCE_LEAVE) full();
    }
    return 0;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, zero, 0);
    pthread_create(&b, 0, one, 0);
    return 0;
}
