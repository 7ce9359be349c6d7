#include <errno.h>
#include <malloc.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include "check.h"

#pragma case malloc_writes: malloc free
static void malloc_writes(void) {
  int *p = malloc(2 * sizeof *p);
  p[0] = 1;
  p[1] = 2;
  check(p != NULL);
  check(p[0] + p[1] == 3);
  free(p);
}
#pragma case malloc_distinct: malloc
static void malloc_distinct(void) {
  char *p = malloc(1), *q = malloc(1);
  *p = 1;
  *q = 2;
  check(p != q);
  check(*p == 1);
}
#pragma case malloc_builtin: __builtin_malloc __builtin_free
static void malloc_builtin(void) {
  long *p = __builtin_malloc(sizeof *p);
  *p = -1;
  check(*p == -1);
  __builtin_free(p);
}
#pragma case free_null: free
static void free_null(void) {
  int *p = NULL;
  free(p);
  check(p == NULL);
}
#pragma case calloc_zero: calloc
static void calloc_zero(void) {
  int *p = calloc(3, sizeof *p);
  check(p[0] == 0 && p[2] == 0);
  p[1] = 4;
  check(p[1] == 4);
  free(p);
}
#pragma case calloc_struct: calloc __builtin_calloc
struct node { struct node *next; int value; };
static void calloc_struct(void) {
  struct node *n = calloc(1, sizeof *n), *o = __builtin_calloc(1, sizeof *o);
  check(n->next == NULL && n->value == 0);
  n->next = o;
  check(n->next->value == 0);
}
#pragma case realloc_grows: realloc
static void realloc_grows(void) {
  int *p = malloc(2 * sizeof *p);
  p[0] = 1;
  p[1] = 2;
  p = realloc(p, 4 * sizeof *p);
  p[3] = 4;
  check(p[0] == 1 && p[1] == 2);
  check(p[3] == 4);
  free(p);
}
#pragma case realloc_shrinks: realloc
static void realloc_shrinks(void) {
  int *p = calloc(4, sizeof *p);
  p[0] = 9;
  p = realloc(p, sizeof *p);
  check(*p == 9);
  free(p);
}
#pragma case realloc_null: realloc __builtin_realloc
static void realloc_null(void) {
  int *p = realloc(NULL, sizeof *p);
  *p = 3;
  check(*p == 3);
  p = __builtin_realloc(p, 2 * sizeof *p);
  check(*p == 3);
}
#pragma case reallocarray_grows: reallocarray
extern void *reallocarray(void *, size_t, size_t);
static void reallocarray_grows(void) {
  int *p = malloc(sizeof *p);
  *p = 8;
  p = reallocarray(p, 3, sizeof *p);
  p[2] = 1;
  check(p[0] == 8);
  check(p[2] == 1);
}
#pragma case aligned: aligned_alloc
static void aligned(void) {
  int *p = aligned_alloc(64, 64);
  p[15] = 2;
  check(p[15] == 2);
  free(p);
}
#pragma case memalign_writes: memalign
static void memalign_writes(void) {
  int *p = memalign(32, 2 * sizeof *p);
  p[1] = 6;
  check(p[1] == 6);
}
#pragma case posix_memalign_writes: posix_memalign
extern int posix_memalign(void **, size_t, size_t);
static void posix_memalign_writes(void) {
  void *p = NULL;
  check(posix_memalign(&p, 64, 8) == 0);
  check(p != NULL);
  *(long *)p = 5;
  check(*(long *)p == 5);
}
#pragma case valloc_writes: valloc
extern void *valloc(size_t);
static void valloc_writes(void) {
  int *p = valloc(sizeof *p);
  *p = 1;
  check(*p == 1);
}
#pragma case alloca_writes: __builtin_alloca alloca
static void alloca_writes(void) {
  int *p = __builtin_alloca(2 * sizeof *p);
  p[0] = 3;
  p[1] = 4;
  check(p[0] * p[1] == 12);
}
#pragma case malloc_errno: malloc free
static void malloc_errno(void) {
  errno = 6;
  free(malloc(8));
  check(errno == 6);
}
#pragma case mempcpy_passes: mempcpy
void *mempcpy(void *, const void *, size_t);
static void mempcpy_passes(void) {
  int a[3] = {1, 2, 3}, b[3] = {0, 0, 0};
  int i = 2;
  check((int *)mempcpy(b, a, sizeof(int) * i++) == b + 2);
  check(b[0] == 1 && b[1] == 2 && b[2] == 0 && i == 3);
  char text[6], *end = mempcpy(text, "ab", 2);
  end = mempcpy(end, "cd", 3);
  check(end == text + 5 && text[2] == 'c' && text[4] == 0);
}
#pragma case mapped_memory: mmap munmap
static void mapped_memory(void) {
  volatile size_t size = 100;
  char *p = mmap(0, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  check(p != MAP_FAILED);
  check(p[0] == 0 && p[99] == 0 && p[4095] == 0);
  p[4095] = 7;
  check(p[4095] == 7);
  check(munmap(p, 4096) == 0);
}
