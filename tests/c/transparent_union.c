// An argument for a transparent union is a value of one of its members.
//
// expect: all=SAFE

struct a { int x; };
struct b { struct a a; int y; };
typedef union { struct a *a; struct b *b; } __attribute__((__transparent_union__)) either;
static void set(either e) { e.a->x = 1; }
int main(void) { struct b b; set(&b); return b.a.x - 1; }
