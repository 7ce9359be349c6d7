// A compare-exchange of a whole structure.
//
// expect: all=SAFE

#include <assert.h>
#include <stdatomic.h>
struct head { unsigned tag, idx; };
static _Atomic struct head h;
int main(void)
{
    struct head o = {0, 0}, n = {1, 7};
    assert(atomic_compare_exchange_strong(&h, &o, n));
    return 0;
}
