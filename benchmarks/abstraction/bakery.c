// Lamport's bakery for two threads, without end: the numbers that are drawn grow without bound. Each
// fence is left out when its macro is defined to 0. SAFE on SC, TSO and PSO.
#include <assert.h>
#include <pthread.h>

#define full() __atomic_thread_fence(__ATOMIC_SEQ_CST)
#ifndef FENCE_CHOOSING
#define FENCE_CHOOSING 1
#endif
#ifndef FENCE_NUMBER
#define FENCE_NUMBER 1
#endif
#ifndef FENCE_CHOSEN
#define FENCE_CHOSEN 1
#endif
#ifndef FENCE_INSIDE
#define FENCE_INSIDE 1
#endif
#ifndef FENCE_LEAVE
#define FENCE_LEAVE 1
#endif

int choosing0, choosing1, num0, num1, inside;

void *zero(void *arg) {
    int n = 0;
    while (1) {
        choosing0 = 1;
        if (FENCE_CHOOSING) full();
        n = num1 + 1;
        num0 = n;
        if (FENCE_NUMBER) full();
        choosing0 = 0;
        if (FENCE_CHOSEN) full();
        while (choosing1 != 0)
            ;
        while (num1 != 0 && num1 < n)
            ;
        inside = 0;
        if (FENCE_INSIDE) full();
        assert(inside == 0);
        num0 = 0;
        if (FENCE_LEAVE) full();
    }
    return 0;
}

void *one(void *arg) {
    int n = 0;
    while (1) {
        choosing1 = 1;
        if (FENCE_CHOOSING) full();
        n = num0 + 1;
        num1 = n;
        if (FENCE_NUMBER) full();
        choosing1 = 0;
        if (FENCE_CHOSEN) full();
        while (choosing0 != 0)
            ;
        while (num0 != 0 && num0 <= n)
            ;
        inside = 1;
        if (FENCE_INSIDE) full();
        assert(inside != 0);
        num1 = 0;
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
