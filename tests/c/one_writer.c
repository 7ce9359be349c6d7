// What one thread alone writes keeps its value on every model, also where each access is an event
// for the order's sake: the number of threads, the bound of a loop and a pointer are known.
//
// run: --unwind 2
// expect: all=SAFE
//
// run: --unwind 2 -DATOMIC
// expect: all=SAFE
//
// run: --unwind 2 -DTWO
// expect: all=UNSAFE
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifdef ATOMIC
atomic_int writers = 3;
#else
int writers = 3;
#endif
int cells[2], *which = &cells[0];
pthread_t t[8];

void *w(void *a)
{
#ifdef TWO
    if (a) {
        writers = 2;
        which = &cells[1];
    }
#endif
    return 0;
}

int main(void)
{
    int made = 0;
    for (int j = 0; j < writers; j++, made++)
        pthread_create(&t[j], 0, w, j == 0 ? t : 0);
    which[1] = made;
    assert(made == 3 && cells[1] == 3);
    return 0;
}
