#pragma once
#include <bits/wmbmc_features.h>
#include <stddef.h>
#include <bits/wmbmc_time.h>
typedef long time_t;
typedef long clock_t;
typedef int clockid_t;
typedef int pid_t;
typedef void *timer_t;
#ifndef __itimerspec_defined
#define __itimerspec_defined 1
struct itimerspec { struct timespec it_interval; struct timespec it_value; };
#endif
#ifndef __struct_tm_defined
#define __struct_tm_defined 1
struct tm {
  int tm_sec;
  int tm_min;
  int tm_hour;
  int tm_mday;
  int tm_mon;
  int tm_year;
  int tm_wday;
  int tm_yday;
  int tm_isdst;
  long tm_gmtoff;
  const char *tm_zone;
};
#endif
#define CLOCK_REALTIME 0
#define CLOCK_MONOTONIC 1
#define CLOCK_PROCESS_CPUTIME_ID 2
#define CLOCK_THREAD_CPUTIME_ID 3
#define CLOCK_MONOTONIC_RAW 4
#define CLOCK_REALTIME_COARSE 5
#define CLOCK_MONOTONIC_COARSE 6
#define CLOCK_BOOTTIME 7
#define CLOCK_TAI 11
#define TIMER_ABSTIME 1
#define CLOCKS_PER_SEC 1000000
#define TIME_UTC 1
time_t time(time_t *result);
clock_t clock(void);
double difftime(time_t end, time_t begin);
time_t mktime(struct tm *time);
struct tm *localtime(const time_t *time);
struct tm *gmtime(const time_t *time);
struct tm *localtime_r(const time_t *time, struct tm *result);
struct tm *gmtime_r(const time_t *time, struct tm *result);
char *ctime(const time_t *time);
size_t strftime(char *to, size_t size, const char *format, const struct tm *time);
int timespec_get(struct timespec *result, int base);
int clock_gettime(clockid_t clock, struct timespec *result);
int clock_settime(clockid_t clock, const struct timespec *time);
int clock_getres(clockid_t clock, struct timespec *result);
int clock_nanosleep(clockid_t clock, int flags, const struct timespec *duration, struct timespec *rest);
int nanosleep(const struct timespec *duration, struct timespec *rest);
