// Szymanski's mutual exclusion for two threads, without end. Each fence is left out when its macro is
// defined to 0. SAFE on SC, TSO and PSO.
// Fewest full fences: 4 on TSO, 4 on PSO.
// On TSO one of them only keeps the buffers small: with three fences there is no violation that is known,
// but more than four entries. On PSO each thread needs one before the release (FENCE_INSIDE) and one on
// its way in, where the two threads differ, as the second one waits for the first.
#include <assert.h>
#include <pthread.h>

#define full() __atomic_thread_fence(__ATOMIC_SEQ_CST)
#ifndef FENCE_ANNOUNCE
#define FENCE_ANNOUNCE 1
#endif
#ifndef FENCE_DOOR
#define FENCE_DOOR 1
#endif
#ifndef FENCE_WAIT
#define FENCE_WAIT 1
#endif
#ifndef FENCE_ENTER
#define FENCE_ENTER 1
#endif
#ifndef FENCE_INSIDE
#define FENCE_INSIDE 1
#endif
#ifndef FENCE_LEAVE
#define FENCE_LEAVE 1
#endif

int flag0, flag1, inside;

void *zero(void *arg) {
    int other;
    while (1) {
        flag0 = 1;
        if (FENCE_ANNOUNCE) full();
        while (flag1 >= 3)
            ;
        flag0 = 3;
        if (FENCE_DOOR) full();
        if (flag1 == 1) {
            flag0 = 2;
            if (FENCE_WAIT) full();
            while (flag1 != 4)
                ;
        }
        flag0 = 4;
        if (FENCE_ENTER) full();
        // Thread 0 waits for nobody with a smaller number.
        inside = 0;
        if (FENCE_INSIDE) full();
        assert(inside == 0);
        // In one load: two would miss a step from 3 to 2 in between.
        do {
            other = flag1;
        } while (other == 2 || other == 3);
        flag0 = 0;
        if (FENCE_LEAVE) full();
    }
    return 0;
}

void *one(void *arg) {
    while (1) {
        flag1 = 1;
        if (FENCE_ANNOUNCE) full();
        while (flag0 >= 3)
            ;
        flag1 = 3;
        if (FENCE_DOOR) full();
        if (flag0 == 1) {
            flag1 = 2;
            if (FENCE_WAIT) full();
            while (flag0 != 4)
                ;
        }
        flag1 = 4;
        if (FENCE_ENTER) full();
        while (flag0 >= 2)
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
