// The order of arguments and operands is open (C11 6.5.2.2p10, 6.5p2); `&&` and `,` have one.
//
// run: -DARGUMENTS
// expect: all=UNSAFE
//
// run: -DOPERANDS
// expect: all=UNSAFE
//
// run: -DREAD
// expect: all=UNSAFE
//
// run: -DUPDATE
// expect: all=UNSAFE
//
// run: -DPLACE
// expect: all=UNSAFE
//
// run: -DTHREE
// expect: all=UNSAFE
//
// run: -DEITHER
// expect: all=SAFE
//
// run: -DSEQUENCED
// expect: all=SAFE
//
// run: -DUNDEFINED
// expect: all=UNKNOWN
#include <assert.h>

static int g, a[2], *p = a;
static struct pair { int x, y; } s;

static int f(int v) {
    g = g * 10 + v;
    return v;
}
static int h(int x, int y) { return x + y; }
static int three(int x, int y, int z) { return x + y + z; }
static int sum(struct pair v, int w) { return v.x + w; }
static int next(void) {
    p = a + 1;
    return 7;
}
static int change(void) {
    s.x = 5;
    return 1;
}

int main(void) {
#ifdef ARGUMENTS
    h(f(1), f(2));
    assert(g == 12);
#elif defined OPERANDS
    int r = f(1) - f(2);
    assert(r == -1);
    assert(g == 12);
#elif defined READ
    // gcc reads `g` last.
    int r = g + f(1);
    assert(r == 1);
#elif defined UPDATE
    // gcc reads `g` last here, too.
    g += f(1);
    assert(g == 1);
#elif defined PLACE
    *p = next();
    assert(a[1] == 7);
#elif defined THREE
    three(f(1), f(2), f(3));
    assert(g != 231);
#elif defined EITHER
    int r = h(f(1), f(2));
    assert(r == 3 && (g == 12 || g == 21));
    r = sum(s, change());
    assert(r == 1 || r == 6);
    g = 0;
    three(f(1), h(f(2), f(2)), f(3));
    assert(g == 1223 || g == 1322 || g == 2213 || g == 2231 || g == 3122 || g == 3221);
#elif defined SEQUENCED
    int i = 0;
    if (f(1) == 1 && f(2) == 2)
        i = (f(3), g);
    assert(i == 123);
    i = i++ ? g : 0;
    a[0] = f(4) + a[1];
    assert(g == 1234 && a[0] == 4);
#elif defined UNDEFINED
    int i = 1;
    i = i++ + 1;
    assert(i == 2);
#endif
    return 0;
}
