// Dekker's mutual exclusion, both threads without end. A fence after each store of a flag that the
// thread looks at the other's flag after, and after leaving; SAFE on SC, TSO and PSO.
#include <assert.h>
#include <pthread.h>

#define fence() __atomic_thread_fence(__ATOMIC_SEQ_CST)

int flag0, flag1, turn, inside;

void *zero(void *arg) {
    while (1) {
        flag0 = 1;
        fence();
        while (flag1 != 0) {
            if (turn != 0) {
                flag0 = 0;
                fence();
                while (turn != 0)
                    ;
                flag0 = 1;
                fence();
            }
        }
        inside = 0;
        fence();
        assert(inside == 0);
        turn = 1;
        fence();
        flag0 = 0;
        fence();
    }
    return 0;
}

void *one(void *arg) {
    while (1) {
        flag1 = 1;
        fence();
        while (flag0 != 0) {
            if (turn == 0) {
                flag1 = 0;
                fence();
                while (turn == 0)
                    ;
                flag1 = 1;
                fence();
            }
        }
        inside = 1;
        fence();
        assert(inside != 0);
        turn = 0;
        fence();
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
