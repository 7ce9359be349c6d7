// Szymanski's mutual exclusion for two threads, without end, a fence after each store. SAFE on SC, TSO
// and PSO.
#include <assert.h>
#include <pthread.h>

#define fence() __atomic_thread_fence(__ATOMIC_SEQ_CST)

int flag0, flag1, inside;

void *zero(void *arg) {
    int other;
    while (1) {
        flag0 = 1;
        fence();
        while (flag1 >= 3)
            ;
        flag0 = 3;
        fence();
        if (flag1 == 1) {
            flag0 = 2;
            fence();
            while (flag1 != 4)
                ;
        }
        flag0 = 4;
        fence();
        // Thread 0 waits for nobody with a smaller number.
        inside = 0;
        fence();
        assert(inside == 0);
        // In one load: two would miss a step from 3 to 2 in between.
        do {
            other = flag1;
        } while (other == 2 || other == 3);
        flag0 = 0;
        fence();
    }
    return 0;
}

void *one(void *arg) {
    while (1) {
        flag1 = 1;
        fence();
        while (flag0 >= 3)
            ;
        flag1 = 3;
        fence();
        if (flag0 == 1) {
            flag1 = 2;
            fence();
            while (flag0 != 4)
                ;
        }
        flag1 = 4;
        fence();
        while (flag0 >= 2)
            ;
        inside = 1;
        fence();
        assert(inside != 0);
        flag1 = 0;
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
