// A ticket lock, both threads without end: tickets grow without bound. Taking one is atomic; the
// release is a plain store that a fence follows. SAFE on SC, TSO and PSO.
#include <assert.h>
#include <pthread.h>

#define fence() __atomic_thread_fence(__ATOMIC_SEQ_CST)

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
        fence();
        assert(inside == 0);
        serving = t + 1;
        fence();
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
        fence();
        assert(inside != 0);
        serving = t + 1;
        fence();
    }
    return 0;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, zero, 0);
    pthread_create(&b, 0, one, 0);
    return 0;
}
