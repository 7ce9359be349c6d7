// The id of a new thread is written when the thread may run already (POSIX leaves it open).
//
// run: --check race
// expect: all=UNSAFE
//
// run: -DLATE --check assert
// expect: all=UNSAFE
//
// run: -DLATE --property benchmarks/properties/assert.prp
// expect: all=SAFE
//
// run: --property benchmarks/properties/no-data-race.prp
// expect: all=SAFE
#include <assert.h>
#include <pthread.h>

pthread_t tid, copy;

void *t(void *unused) {
#ifdef LATE
    assert(pthread_equal(tid, pthread_self()));
#endif
    copy = tid;
    return 0;
}

int main(void) {
    pthread_create(&tid, 0, t, 0);
    pthread_join(tid, 0);
    return 0;
}
