/* Two threads find, hold and release the objects of mutex3.c. */
#include "mutex3.c"
#include <assert.h>

static struct foo *first;

static void *user(void *arg)
{
    struct foo *found = foo_find(7);
    if (found != NULL) {
        assert(found->f_id == 7);
        foo_hold(found);
        foo_rele(found);
        foo_rele(found);
    }
    return arg;
}

int main(void)
{
    pthread_t threads[2];
    first = foo_alloc(7);
    foo_alloc(7 + NHASH);
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, user, NULL);
    foo_rele(first);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    assert(foo_find(7) == NULL);
    return 0;
}
