// A ticket lock, both threads without end: tickets grow without bound. Taking one is atomic; the
// release is a plain store. Each fence is left out when its macro is defined to 0. SAFE on SC, TSO and PSO.
// Fewest full fences: 0 on TSO, 2 on PSO.
// On PSO a thread needs one before the release (FENCE_INSIDE); on TSO stores are in order, and taking a
// ticket empties the buffer.
#include <assert.h>
#include <pthread.h>

#define full() __atomic_thread_fence(__ATOMIC_SEQ_CST)
#ifndef FENCE_INSIDE
#define FENCE_INSIDE 1
#endif
#ifndef FENCE_SERVING
#define FENCE_SERVING 1
#endif

int next, serving, inside;

extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);

void *zero(void *arg) {
    int t = 0;
    while (1) {
        __VERIFIER_atomic_begin();
        t = next;
        next = t + 1;
        __VERIFIER_atomic_end();
        while (serving != t)
            ;
        inside = 0;
        if (FENCE_INSIDE) full();
        assert(inside == 0);
        serving = t + 1;
        if (FENCE_SERVING) full();
    }
    return 0;
}

void *one(void *arg) {
    int t = 0;
    while (1) {
        __VERIFIER_atomic_begin();
        t = next;
        next = t + 1;
        __VERIFIER_atomic_end();
        while (serving != t)
            ;
        inside = 1;
        if (FENCE_INSIDE) full();
        assert(inside != 0);
        serving = t + 1;
        if (FENCE_SERVING) full();
    }
    return 0;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, zero, 0);
    pthread_create(&b, 0, one, 0);
    return 0;
}
