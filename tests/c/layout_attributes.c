// Alignments, packing and enumerations that attributes and pragmas change, with the numbers of gcc.
//
// run:
// expect: all=SAFE
// run: -DWIRE
// expect: all=UNSAFE
#include <assert.h>
#include <stddef.h>

#define IS(what, n) _Static_assert((what) == (n), #what)

typedef int wide_int __attribute__((aligned(16)));
typedef int loose_int __attribute__((aligned(1)));
struct member { char a; _Alignas(8) char b; };
IS(offsetof(struct member, b), 8);
IS(sizeof(struct member), 16);
struct lines { _Atomic int head __attribute__((aligned(64))); _Alignas(64) _Atomic int tail; };
IS(offsetof(struct lines, tail), 64);
IS(sizeof(struct lines), 128);
struct largest { char c; } __attribute__((aligned));
IS(sizeof(struct largest), 16);
struct __attribute__((aligned(32))) before { char c; int d; };
IS(sizeof(struct before), 32);
struct packed_member { char a; int b __attribute__((packed)); };
IS(sizeof(struct packed_member), 5);
struct packed_aligned { char c; int x __attribute__((packed, aligned(2))); };
IS(sizeof(struct packed_aligned), 6);
IS(_Alignof(struct packed_aligned), 2);
struct of_typedef { char c; wide_int x; loose_int y[2]; };
IS(offsetof(struct of_typedef, x), 16);
IS(sizeof(struct of_typedef), 32);
struct every { __attribute__((aligned(8))) char c, d; };
IS(sizeof(struct every), 16);
struct bits { int a : 7; int b : 30 __attribute__((packed)); };
IS(sizeof(struct bits), 8);
enum __attribute__((packed)) tiny { A, B };
IS(sizeof(enum tiny), 1);
enum two { C, D = 300 } __attribute__((packed));
IS(sizeof(enum two), 2);
enum wide { E = 0x100000000ll };
IS(sizeof(enum wide), 8);
int once __attribute__((aligned(64)));
IS(_Alignof(once), 64);
IS(_Alignof(__typeof__(once)), 4);
// A variable is aligned less only where all of its declarations say so, and its type is complete.
struct line { int x; } __attribute__((aligned(32)));
struct line less[2] __attribute__((aligned(8)));
struct line unsized[] __attribute__((aligned(8))) = { { 1 } };
extern struct line again __attribute__((aligned(8)));
struct line again;
extern struct line first;
struct line first __attribute__((aligned(8)));
IS(_Alignof(less), 8);
IS(_Alignof(unsized), 32);
IS(_Alignof(again), 32);
IS(_Alignof(first), 32);
// What has no values here makes room.
typedef int four __attribute__((vector_size(16)));
struct vector { char c; four v; char d; };
IS(offsetof(struct vector, d), 32);
struct opaque { char c; __int128 d; float _Complex e; _Float16 f; int g; };
IS(offsetof(struct opaque, g), 44);
IS(sizeof(struct opaque), 48);
#pragma pack(push, 1)
struct one { char a; int b; };
#pragma pack(2)
struct pair { char c; _Alignas(8) char d; int x __attribute__((aligned(16))); double e; };
_Pragma("pack(pop)")
struct none { char a; int b; };
IS(sizeof(struct one), 5);
IS(sizeof(struct pair), 16);
IS(_Alignof(struct pair), 2);
IS(sizeof(struct none), 8);

#pragma pack(1)
struct wire { unsigned char type; unsigned int len; };
#pragma pack()
static union { struct wire w; unsigned char b[8]; } u;

int main(void) {
#ifdef WIRE
    u.b[1] = 1;
    assert(u.w.len == 0);
#else
    u.b[0] = 1;
    assert(u.w.len == 0);
#endif
    return 0;
}
