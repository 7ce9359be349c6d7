// Predicate abstraction that keeps one truth value per predicate and buffer calls this safe (Fig. 3 of
// the paper): both threads load 0, both store 1. UNSAFE on SC, TSO and PSO, because C loads and stores
// in two steps.
#include <assert.h>
#include <pthread.h>

#define fence() __atomic_thread_fence(__ATOMIC_SEQ_CST)

int X, Y;

void *one(void *arg) {
    X = Y + 1;
    fence();
    return 0;
}

void *two(void *arg) {
    Y = X + 1;
    fence();
    int x = X;
    assert(x != Y);
    return 0;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, one, 0);
    pthread_create(&b, 0, two, 0);
    return 0;
}
