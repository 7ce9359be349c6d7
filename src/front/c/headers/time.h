#pragma once
#include <stddef.h>
typedef long time_t;
typedef long clock_t;
typedef int clockid_t;
/* The platform's headers look for this name before they define the structure. */
#ifndef _STRUCT_TIMESPEC
#define _STRUCT_TIMESPEC 1
struct timespec { time_t tv_sec; long tv_nsec; };
#endif
#define CLOCK_REALTIME 0
#define CLOCK_MONOTONIC 1
#define CLOCKS_PER_SEC 1000000
#define TIME_UTC 1
time_t time(time_t *result);
clock_t clock(void);
int clock_gettime(clockid_t clock, struct timespec *result);
int nanosleep(const struct timespec *duration, struct timespec *rest);
