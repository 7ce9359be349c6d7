// Lamport's fast mutual exclusion for two threads, without end ("A fast mutual exclusion algorithm",
// TOCS 1987). Each fence is left out when its macro is defined to 0. SAFE on SC, TSO and PSO.
#include <assert.h>
#include <pthread.h>

#define full() __atomic_thread_fence(__ATOMIC_SEQ_CST)
#ifndef FENCE_MARK
#define FENCE_MARK 1
#endif
#ifndef FENCE_X
#define FENCE_X 1
#endif
#ifndef FENCE_BACK
#define FENCE_BACK 1
#endif
#ifndef FENCE_Y
#define FENCE_Y 1
#endif
#ifndef FENCE_YIELD
#define FENCE_YIELD 1
#endif
#ifndef FENCE_INSIDE
#define FENCE_INSIDE 1
#endif
#ifndef FENCE_FREE
#define FENCE_FREE 1
#endif
#ifndef FENCE_LEAVE
#define FENCE_LEAVE 1
#endif

int b0, b1, x, y, inside;

void *zero(void *arg) {
    while (1) {
    start:
        b0 = 1;
        if (FENCE_MARK) full();
        x = 1;
        if (FENCE_X) full();
        if (y != 0) {
            b0 = 0;
            if (FENCE_BACK) full();
            while (y != 0)
                ;
            goto start;
        }
        y = 1;
        if (FENCE_Y) full();
        if (x != 1) {
            b0 = 0;
            if (FENCE_YIELD) full();
            while (b1 != 0)
                ;
            if (y != 1) {
                while (y != 0)
                    ;
                goto start;
            }
        }
        inside = 0;
        if (FENCE_INSIDE) full();
        assert(inside == 0);
        y = 0;
        if (FENCE_FREE) full();
        b0 = 0;
        if (FENCE_LEAVE) full();
    }
    return 0;
}

void *one(void *arg) {
    while (1) {
    start:
        b1 = 1;
        if (FENCE_MARK) full();
        x = 2;
        if (FENCE_X) full();
        if (y != 0) {
            b1 = 0;
            if (FENCE_BACK) full();
            while (y != 0)
                ;
            goto start;
        }
        y = 2;
        if (FENCE_Y) full();
        if (x != 2) {
            b1 = 0;
            if (FENCE_YIELD) full();
            while (b0 != 0)
                ;
            if (y != 2) {
                while (y != 0)
                    ;
                goto start;
            }
        }
        inside = 1;
        if (FENCE_INSIDE) full();
        assert(inside != 0);
        y = 0;
        if (FENCE_FREE) full();
        b1 = 0;
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
