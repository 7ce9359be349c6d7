// A lost update and two locks taken in different orders, and no assertion: both are looked for by default.
//
// run:
// expect: all=UNSAFE
//
// run: --check deadlock
// expect: all=UNSAFE
//
// run: --check assert,memory
// expect: all=SAFE

#include <pthread.h>
static int balance;
static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static void *one(void *x) { balance++; pthread_mutex_lock(&a); pthread_mutex_lock(&b); pthread_mutex_unlock(&b); pthread_mutex_unlock(&a); return 0; }
static void *two(void *x) { balance++; pthread_mutex_lock(&b); pthread_mutex_lock(&a); pthread_mutex_unlock(&a); pthread_mutex_unlock(&b); return 0; }
int main(void)
{
    pthread_t t, u;
    pthread_create(&t, 0, one, 0);
    pthread_create(&u, 0, two, 0);
    pthread_join(t, 0);
    pthread_join(u, 0);
    return 0;
}
