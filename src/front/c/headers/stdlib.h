#pragma once
#include <bits/wmbmc_features.h>
#include <stddef.h>
#include <sys/types.h>
#define EXIT_SUCCESS 0
#define EXIT_FAILURE 1
#define RAND_MAX 2147483647
void *malloc(size_t size);
void *calloc(size_t count, size_t size);
void *realloc(void *old, size_t size);
void *aligned_alloc(size_t alignment, size_t size);
int posix_memalign(void **result, size_t alignment, size_t size);
void free(void *object);
void abort(void);
void exit(int status);
void _Exit(int status);
int atexit(void (*function)(void));
int abs(int x);
long labs(long x);
long long llabs(long long x);
int rand(void);
void srand(unsigned int seed);
long random(void);
void srandom(unsigned int seed);
int rand_r(unsigned int *seed);
int atoi(const char *text);
long atol(const char *text);
long long atoll(const char *text);
long strtol(const char *text, char **end, int base);
unsigned long strtoul(const char *text, char **end, int base);
char *getenv(const char *name);
void qsort(void *base, size_t count, size_t size, int (*compare)(const void *, const void *));
#define alloca(size) __builtin_alloca(size)
void *reallocarray(void *old, size_t count, size_t size);
void *valloc(size_t size);
void quick_exit(int status);
int at_quick_exit(void (*function)(void));
long long strtoll(const char *text, char **end, int base);
unsigned long long strtoull(const char *text, char **end, int base);
double atof(const char *text);
double strtod(const char *text, char **end);
float strtof(const char *text, char **end);
double drand48(void);
long lrand48(void);
void srand48(long seed);
int setenv(const char *name, const char *value, int overwrite);
int unsetenv(const char *name);
int system(const char *command);
int mkstemp(char *name);
void *bsearch(const void *key, const void *base, size_t count, size_t size, int (*compare)(const void *, const void *));
char *realpath(const char *path, char *result);
typedef struct { int quot; int rem; } div_t;
typedef struct { long quot; long rem; } ldiv_t;
typedef struct { long long quot; long long rem; } lldiv_t;
div_t div(int a, int b);
ldiv_t ldiv(long a, long b);
lldiv_t lldiv(long long a, long long b);
struct drand48_data { unsigned short __x[3]; unsigned short __old_x[3]; unsigned short __c; unsigned short __init; unsigned long long __a; };
int srand48_r(long seed, struct drand48_data *data);
int drand48_r(struct drand48_data *data, double *result);
int lrand48_r(struct drand48_data *data, long *result);
#define MB_CUR_MAX 1
double erand48(unsigned short state[3]);
long nrand48(unsigned short state[3]);
long jrand48(unsigned short state[3]);
long mrand48(void);
