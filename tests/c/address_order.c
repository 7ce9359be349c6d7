// Which of two objects comes first in memory is not known, but it is one order: the same for all comparisons, without
// cycles, with the parts of each object together.
//
// run: -DSTATIC
// expect: all=UNSAFE
//
// run: -DSTATIC --reuse-addresses false
// expect: all=SAFE
//
// run: -DTURNED
// expect: all=UNSAFE
//
// run: -DNUMBERS
// expect: all=UNSAFE
//
// run: -DALLOCATED
// expect: all=UNSAFE
//
// run: -DOWN
// expect: all=UNSAFE
//
// run: -DFUNCTIONS
// expect: all=UNSAFE
//
// run: -DCONSISTENT
// expect: all=SAFE
//
// run: -DCYCLE
// expect: all=SAFE
//
// run: -DPARTS
// expect: all=SAFE
//
// run: -DBEHIND
// expect: all=SAFE
//
// run: -DBETWEEN
// expect: all=SAFE
//
// run: -DEARLIER
// expect: all=SAFE
//
// run: -DBACKWARDS
// expect: all=SAFE
//
// run: -DSORTED --check assert,deadlock
// expect: all=SAFE
//
// run: -DNULL_IS_FIRST
// expect: all=SAFE
//
// run: -DREUSED
// expect: all=SAFE
//
// run: -DSTATIC --data-model ilp32
// expect: all=UNSAFE
//
// run: -DCYCLE --data-model ilp32
// expect: all=SAFE
//
// run: -DBACKWARDS --data-model ilp32
// expect: all=SAFE

#include <assert.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>

static int a[2], b[2], c[2];
static pthread_mutex_t left = PTHREAD_MUTEX_INITIALIZER, right = PTHREAD_MUTEX_INITIALIZER;

static void f(void) {}
static void g(void) {}

static int precedes(int *p, int *q)
{
    return p < q;
}

/* Who takes both locks takes the one that comes first. */
static void both(pthread_mutex_t *p, pthread_mutex_t *q)
{
    pthread_mutex_t *first = p < q ? p : q, *second = p < q ? q : p;
    pthread_mutex_lock(first);
    pthread_mutex_lock(second);
    a[0]++;
    pthread_mutex_unlock(second);
    pthread_mutex_unlock(first);
}

static void *other(void *arg)
{
    both(&left, &right);
    return arg;
}

static void *compares(void *arg)
{
    return (void *)(intptr_t)precedes(a, b);
}

int main(void)
{
    int x, y;
    (void)f;
    (void)g;
#if defined STATIC
    assert(&a[0] < &b[0]);
#elif defined TURNED
    assert(&b[1] < &a[0]);
#elif defined NUMBERS
    uintptr_t u = (uintptr_t)a, v = (uintptr_t)b;
    assert(u < v);
#elif defined ALLOCATED
    int *p = malloc(4), *q = malloc(4);
    assert(!p || !q || p < q);
    free(p), free(q);
#elif defined OWN
    assert(&x < &y);
#elif defined FUNCTIONS
    assert((uintptr_t)f < (uintptr_t)g);
#elif defined CONSISTENT
    pthread_t t;
    void *result;
    pthread_create(&t, 0, compares, 0);
    pthread_join(t, &result);
    assert((intptr_t)result == precedes(a, b));
    assert(precedes(a, b) != precedes(b, a));
#elif defined CYCLE
    assert(!(a < b && b < c && c < a));
    assert(!(b < a && c < b && a < c));
#elif defined PARTS
    assert((&a[0] < &b[0]) == (&a[1] < &b[1]));
    assert((&a[0] < &b[1]) == (&a[1] < &b[0]));
#elif defined BEHIND
    if (&a[2] == &b[0])
        assert(&a[0] < &b[0] && &a[1] <= &b[1]);
#elif defined BETWEEN
    if (&a[2] == &b[0])
        assert(!(&a[0] < &c[0] && &c[0] < &b[0]));
#elif defined EARLIER
    if (&a[2] == &b[0] && &b[2] == &c[0])
        assert(a < c && !(c <= b));
#elif defined BACKWARDS
    int *from = a, n = 0;
    if (b < a)
        from = b;
    for (int *p = from + 1; p >= from; p--)
        n++;
    assert(n == 2);
#elif defined SORTED
    pthread_t t;
    pthread_create(&t, 0, other, 0);
    both(&right, &left);
    pthread_join(t, 0);
    assert(a[0] == 2);
#elif defined NULL_IS_FIRST
    int *p = 0;
    assert(p < a && p < b && !(c <= p));
#elif defined REUSED
    int *p = malloc(4);
    uintptr_t old = (uintptr_t)p;
    int was_first = old < (uintptr_t)a;
    free(p);
    int *q = malloc(4);
    if (p && q && (uintptr_t)q == old)
        assert(((uintptr_t)q < (uintptr_t)a) == was_first);
    free(q);
#endif
    return 0;
}
