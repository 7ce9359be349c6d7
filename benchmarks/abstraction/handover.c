// Hand over hand: two locks, the second is taken before the first is released; each protects a variable.
// Taking a lock is atomic, a release is a plain store. A fence is left out when its macro is defined to 0.
// SAFE on SC, TSO and PSO.
// Fewest full fences: 0 on TSO, 2 on PSO.
// On PSO a thread needs one between its last store and the release; on TSO stores are in order, and
// taking a lock empties the buffer.
#include <assert.h>
#include <pthread.h>

#define full() __atomic_thread_fence(__ATOMIC_SEQ_CST)
#ifndef FENCE_FIRST
#define FENCE_FIRST 1
#endif
#ifndef FENCE_HAND
#define FENCE_HAND 1
#endif
#ifndef FENCE_SECOND
#define FENCE_SECOND 1
#endif
#ifndef FENCE_LEAVE
#define FENCE_LEAVE 1
#endif

extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);
extern void __VERIFIER_assume(int);

int lock0, lock1, first, second;

void *zero(void *arg) {
    while (1) {
        __VERIFIER_atomic_begin();
        __VERIFIER_assume(lock0 == 0);
        lock0 = 1;
        __VERIFIER_atomic_end();
        first = 0;
        if (FENCE_FIRST) full();
        assert(first == 0);
        __VERIFIER_atomic_begin();
        __VERIFIER_assume(lock1 == 0);
        lock1 = 1;
        __VERIFIER_atomic_end();
        lock0 = 0;
        if (FENCE_HAND) full();
        second = 0;
        if (FENCE_SECOND) full();
        assert(second == 0);
        lock1 = 0;
        if (FENCE_LEAVE) full();
    }
    return 0;
}

void *one(void *arg) {
    while (1) {
        __VERIFIER_atomic_begin();
        __VERIFIER_assume(lock0 == 0);
        lock0 = 1;
        __VERIFIER_atomic_end();
        first = 1;
        if (FENCE_FIRST) full();
        assert(first != 0);
        __VERIFIER_atomic_begin();
        __VERIFIER_assume(lock1 == 0);
        lock1 = 1;
        __VERIFIER_atomic_end();
        lock0 = 0;
        if (FENCE_HAND) full();
        second = 1;
        if (FENCE_SECOND) full();
        assert(second != 0);
        lock1 = 0;
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
