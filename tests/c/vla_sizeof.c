// The size of an array of variable size.
//
// expect: all=SAFE

#include <assert.h>
#include <string.h>
static int f(int n) { int a[n]; memset(a, 0, sizeof a); return sizeof a == n * sizeof(int); }
int main(void) { assert(f(3)); return 0; }
