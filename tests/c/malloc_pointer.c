// Functions of the library through pointers.
//
// run: --check assert,memory,leak
// expect: all=SAFE

#include <stdlib.h>
static void *(*my_malloc)(size_t) = malloc;
static void (*my_free)(void *) = free;
int main(void) { int *p = my_malloc(sizeof *p); *p = 1; my_free(p); return 0; }
