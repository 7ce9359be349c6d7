#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include "check.h"

#pragma case abs_values: abs
static void abs_values(void) {
  int n = -5;
  check(abs(n) == 5);
  check(abs(5) == 5);
  check(abs(0) == 0);
  check(abs(-INT_MAX) == INT_MAX);
}
#pragma case labs_values: labs llabs
static void labs_values(void) {
  check(labs(-5000000000L) == 5000000000L);
  check(labs(3) == 3);
  check(llabs(-LLONG_MAX) == LLONG_MAX);
  check(llabs(0) == 0);
}
#pragma case rand_range: rand srand
static void rand_range(void) {
  srand(1);
  int r = rand();
  check(r >= 0);
  check(r <= RAND_MAX);
}
#pragma case random_range: random srandom
extern long random(void);
extern void srandom(unsigned);
static void random_range(void) {
  srandom(3);
  long r = random();
  check(r >= 0);
  check(r <= 2147483647);
}
#pragma case rand_r_range: rand_r
extern int rand_r(unsigned *);
static void rand_r_range(void) {
  unsigned seed = 4;
  check(rand_r(&seed) >= 0);
}
#pragma case time_agrees: time
static void time_agrees(void) {
  time_t a, b = time(&a);
  check(a == b);
}
#pragma case clock_gettime_works: clock_gettime clock
static void clock_gettime_works(void) {
  struct timespec now;
  clock();
  check(clock_gettime(CLOCK_MONOTONIC, &now) == 0);
}
#pragma case gettimeofday_works: gettimeofday
#include <sys/time.h>
static void gettimeofday_works(void) {
  struct timeval now;
  check(gettimeofday(&now, NULL) == 0);
}
#pragma case nanosleep_works: nanosleep getpid
static void nanosleep_works(void) {
  struct timespec little = {0, 1};
  getpid();
  check(nanosleep(&little, NULL) == 0);
}
#pragma case printing: printf puts putchar fflush fprintf fputs fputc putc
static void printing(void) {
  int n = 3;
  printf("%d", n++);
  puts("");
  putchar('x');
  putc('y', stdout);
  fputc('z', stdout);
  fputs("w", stdout);
  fprintf(stdout, "%s %d\n", "a", n);
  fflush(stdout);
  check(n == 4);
}
#pragma case snprintf_bounds: snprintf
static void snprintf_bounds(void) {
  char b[5] = {9, 9, 9, 9, 9};
  snprintf(b, 4, "%s", "abcdef");
  check(strlen(b) <= 3);
  check(b[4] == 9);
}
#pragma case snprintf_result: snprintf
static void snprintf_result(void) {
  char b[3];
  int n = 5;
  check(snprintf(b, sizeof b, "hello") == 5);
  check(snprintf(b, sizeof b, "%c%%", n) == 2);
  check(snprintf(b, sizeof b, "a%db", n) >= 3);
  check(snprintf(b, sizeof b, "%s", "abcd") >= 0);
  check(snprintf(b, sizeof b, "%x", n) <= 8);
}
#pragma case sprintf_result: sprintf
static void sprintf_result(void) {
  char b[16];
  check(sprintf(b, "%d.", 12) > 1);
  check(sprintf(b, "%s", "") >= 0);
}
#pragma case sprintf_ends: sprintf
static void sprintf_ends(void) {
  char b[8];
  sprintf(b, "%d", 12);
  check(strlen(b) < 8);
}
#pragma case exits: exit
static void exits(void) {
  check(sizeof(int) == 4);
  exit(0);
  never();
}
#pragma case exits_at_once: _exit _Exit
static void exits_at_once(void) {
  volatile int zero = 0;
  check(zero == 0);
  if (zero) _Exit(0);
  _exit(0);
  never();
}
#pragma case popcount: __builtin_popcount __builtin_popcountl __builtin_popcountll
static void popcount(void) {
  unsigned n = 0xf0f0;
  check(__builtin_popcount(n) == 8);
  check(__builtin_popcount(0) == 0);
  check(__builtin_popcount(-1) == 32);
  check(__builtin_popcountl(~0ul) == 64);
  check(__builtin_popcountll(1ull << 63) == 1);
}
#pragma case parity: __builtin_parity __builtin_parityl __builtin_parityll
static void parity(void) {
  unsigned n = 7;
  check(__builtin_parity(n) == 1);
  check(__builtin_parity(3) == 0);
  check(__builtin_parityl(1ul << 40) == 1);
  check(__builtin_parityll(0) == 0);
}
#pragma case clz: __builtin_clz __builtin_clzl __builtin_clzll
static void clz(void) {
  unsigned n = 1;
  check(__builtin_clz(n) == 31);
  check(__builtin_clz(0x80000000u) == 0);
  check(__builtin_clzl(1ul << 32) == 31);
  check(__builtin_clzll(1) == 63);
}
#pragma case ctz: __builtin_ctz __builtin_ctzl __builtin_ctzll
static void ctz(void) {
  unsigned n = 8;
  check(__builtin_ctz(n) == 3);
  check(__builtin_ctz(0x80000000u) == 31);
  check(__builtin_ctzl(1ul << 32) == 32);
  check(__builtin_ctzll(6) == 1);
}
#pragma case first_set: __builtin_ffs __builtin_ffsl __builtin_ffsll
static void first_set(void) {
  int n = 12;
  check(__builtin_ffs(n) == 3);
  check(__builtin_ffs(0) == 0);
  check(__builtin_ffs(INT_MIN) == 32);
  check(__builtin_ffsl(1l << 33) == 34);
  check(__builtin_ffsll(0) == 0);
}
#pragma case bswap: __builtin_bswap16 __builtin_bswap32 __builtin_bswap64
static void bswap(void) {
  check(__builtin_bswap16(0x1234) == 0x3412);
  check(__builtin_bswap32(0x12345678) == 0x78563412);
  check(__builtin_bswap64(0x0102030405060708ull) == 0x0807060504030201ull);
  check(__builtin_bswap32(__builtin_bswap32(77)) == 77);
}
#pragma case add_overflow: __builtin_add_overflow
static void add_overflow(void) {
  int r, big = INT_MAX;
  check(!__builtin_add_overflow(1, 2, &r));
  check(r == 3);
  check(__builtin_add_overflow(big, 1, &r));
  check(r == INT_MIN);
}
#pragma case add_overflow_narrow: __builtin_add_overflow
static void add_overflow_narrow(void) {
  unsigned char r;
  check(__builtin_add_overflow(200, 100, &r));
  check(r == 44);
  check(__builtin_add_overflow(-1, 0, &r));
  check(r == 255);
}
#pragma case sub_overflow: __builtin_sub_overflow
static void sub_overflow(void) {
  int r;
  unsigned u;
  check(__builtin_sub_overflow(INT_MIN, 1, &r));
  check(r == INT_MAX);
  check(__builtin_sub_overflow(1u, 2u, &u));
  check(u == UINT_MAX);
  check(!__builtin_sub_overflow(5, 7, &r));
  check(r == -2);
}
#pragma case mul_overflow: __builtin_mul_overflow
static void mul_overflow(void) {
  int r;
  check(!__builtin_mul_overflow(6, 7, &r));
  check(r == 42);
  check(__builtin_mul_overflow(65536, 65536, &r));
  check(r == 0);
  check(!__builtin_mul_overflow(-1, INT_MAX, &r));
  check(r == -INT_MAX);
}
#pragma case expect: __builtin_expect
static void expect(void) {
  int n = 3;
  check(__builtin_expect(n, 0) == 3);
  check(__builtin_expect(!n, 1) == 0);
  check(__builtin_expect_with_probability(n, 3, 0.5) == 3);
}
#pragma case prefetch: __builtin_prefetch __builtin_expect_with_probability
static void prefetch(void) {
  int n = 3;
  __builtin_prefetch(&n);
  check(n == 3);
}
#pragma case exits_quickly: _Exit quick_exit
static void exits_quickly(void) {
  volatile int zero = 0;
  check(zero == 0);
  if (zero) quick_exit(0);
  _Exit(0);
  never();
}
#pragma case strtol_decimal: strtol
static void strtol_decimal(void) {
  const char *text = " -42x";
  char *end;
  check(strtol(text, &end, 10) == -42);
  check(end == text + 4);
  check(strtol("+7", NULL, 10) == 7);
  check(strtol("0", &end, 10) == 0);
  check(*end == 0);
}
#pragma case strtol_bases: strtol
static void strtol_bases(void) {
  char *end;
  check(strtol("0x1F", &end, 16) == 31);
  check(*end == 0);
  check(strtol("0x1f", NULL, 0) == 31);
  check(strtol("017", NULL, 0) == 15);
  check(strtol("zZ", NULL, 36) == 35 * 37);
  check(strtol("102", &end, 2) == 2);
  check(*end == '2');
}
#pragma case strtol_nothing: strtol
static void strtol_nothing(void) {
  const char *text = "  x";
  char *end;
  check(strtol(text, &end, 10) == 0);
  check(end == text);
  text = "0xg";
  check(strtol(text, &end, 16) == 0);
  check(end == text + 1);
}
#pragma case strtol_range: strtol
static void strtol_range(void) {
  errno = 0;
  check(strtol("9223372036854775807", NULL, 10) == LONG_MAX);
  check(errno == 0);
  check(strtol("9223372036854775808", NULL, 10) == LONG_MAX);
  check(errno == ERANGE);
}
#pragma case strtol_range_below: strtol
static void strtol_range_below(void) {
  char *end;
  errno = 0;
  check(strtol("-9223372036854775808", NULL, 10) == LONG_MIN);
  check(errno == 0);
  check(strtol("-9223372036854775809!", &end, 10) == LONG_MIN);
  check(errno == ERANGE);
  check(*end == '!');
}
#pragma case strtoul_range: strtoul
static void strtoul_range(void) {
  errno = 0;
  check(strtoul("18446744073709551615", NULL, 10) == ULONG_MAX);
  check(errno == 0);
  check(strtoul("-1", NULL, 10) == ULONG_MAX);
  check(errno == 0);
  check(strtoul("18446744073709551616", NULL, 0) == ULONG_MAX);
  check(errno == ERANGE);
}
#pragma case strtoul_values: strtoul
static void strtoul_values(void) {
  check(strtoul("0x10", NULL, 16) == 16);
  check(strtoul("-2", NULL, 10) == -2ul);
  check(strtoul("8", NULL, 8) == 0);
}
#pragma case strtoll_range: strtoll
static void strtoll_range(void) {
  errno = 0;
  check(strtoll("9223372036854775807", NULL, 10) == LLONG_MAX);
  check(errno == 0);
  check(strtoll("-9223372036854775808", NULL, 10) == LLONG_MIN);
  check(errno == 0);
  check(strtoll("-9223372036854775809", NULL, 10) == LLONG_MIN);
  check(errno == ERANGE);
}
#pragma case strtoull_values: strtoull
static void strtoull_values(void) {
  char *end;
  check(strtoull(" 0x1F!", &end, 0) == 31);
  check(*end == '!');
  check(strtoull("-1", NULL, 10) == ULLONG_MAX);
  check(strtoull("18446744073709551615", NULL, 10) == ULLONG_MAX);
  check(strtoull("077", NULL, 0) == 63);
}
#pragma case gets_the_time: timespec_get
#include <time.h>
static void gets_the_time(void) {
  struct timespec now;
  check(timespec_get(&now, TIME_UTC) == TIME_UTC);
}
#pragma case sleeps_by_a_clock: clock_nanosleep
static void sleeps_by_a_clock(void) {
  struct timespec little = {0, 1};
  check(clock_nanosleep(CLOCK_MONOTONIC, 0, &little, NULL) == 0);
}
#pragma case constant_p: __builtin_constant_p
static void constant_p(void) {
  volatile int n = 1;
  check(!__builtin_constant_p(n));
}
#pragma case scans: scanf
static void scans(void) {
  int n;
  int read = scanf("%d", &n);
  check(read <= 1);
  check(read >= -1);
}
#pragma case converts: atoi atol atoll
static void converts(void) {
  check(atoi("12") == 12);
  check(atol(" -13x") == -13);
  check(atoll("4294967296") == 4294967296);
}
#pragma case first_bit: ffs
static void first_bit(void) {
  volatile int n = 12;
  check(ffs(n) == 3);
  check(ffs(0) == 0);
}
#pragma case wakes: syscall
static int nobody;
static void wakes(void) {
  check(syscall(SYS_futex, &nobody, FUTEX_WAKE, 1, NULL, NULL, 0) <= 1);
  check(syscall(SYS_futex, &nobody, FUTEX_WAIT, 1, NULL, NULL, 0) == -1);
}
#pragma case sorted_numbers: qsort bsearch
static int smaller(const void *a, const void *b) {
  int x = *(const int *)a, y = *(const int *)b;
  return x < y ? -1 : x > y;
}
static void sorted_numbers(void) {
  int numbers[5] = {3, 1, 2, 7, 1}, two = 2, four = 4;
  qsort(numbers, 5, sizeof *numbers, smaller);
  check(numbers[0] == 1);
  check(numbers[1] == 1);
  check(numbers[2] == 2);
  check(numbers[4] == 7);
  check(bsearch(&two, numbers, 5, sizeof *numbers, smaller) == numbers + 2);
  check(bsearch(&four, numbers, 5, sizeof *numbers, smaller) == 0);
}
#pragma case sorted_words: qsort
static int shorter(const void *a, const void *b) {
  return (int)strlen(*(char *const *)a) - (int)strlen(*(char *const *)b);
}
static void sorted_words(void) {
  const char *words[3] = {"abc", "a", "ab"};
  qsort(words, 3, sizeof *words, shorter);
  check(words[0][1] == 0);
  check(words[1][1] == 'b');
  check(words[2][2] == 'c');
}
#pragma case times_are_times: clock_gettime gettimeofday timespec_get
static void times_are_times(void) {
  struct timespec now;
  struct timeval day;
  check(clock_gettime(CLOCK_REALTIME, &now) == 0);
  check(now.tv_nsec >= 0 && now.tv_nsec < 1000000000 && now.tv_sec >= 0);
  check(gettimeofday(&day, NULL) == 0);
  check(day.tv_usec >= 0 && day.tv_usec < 1000000);
  timespec_get(&now, TIME_UTC);
  check(now.tv_nsec >= 0 && now.tv_nsec < 1000000000);
}
#pragma case no_clock: clock_gettime
static void no_clock(void) {
  struct timespec now = {3, 4};
  errno = 0;
  check(clock_gettime(99, &now) == -1);
  check(errno == EINVAL);
  check(now.tv_sec == 3 && now.tv_nsec == 4);
}
#pragma case sleeps_no_time: nanosleep clock_nanosleep
static void sleeps_no_time(void) {
  struct timespec wrong = {0, 1000000000}, before = {-1, 0}, none = {0, 0};
  errno = 0;
  check(nanosleep(&wrong, NULL) == -1);
  check(errno == EINVAL);
  errno = 0;
  check(nanosleep(&before, &before) == -1);
  check(errno == EINVAL);
  errno = 0;
  check(clock_nanosleep(CLOCK_MONOTONIC, 0, &wrong, NULL) == EINVAL);
  check(errno == 0);
  check(clock_nanosleep(CLOCK_THREAD_CPUTIME_ID, 0, &none, NULL) == EINVAL);
  check(clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, &none, NULL) == 0);
}
#pragma case futex_limits: syscall
static int waited;
static void futex_limits(void) {
  struct timespec little = {0, 1}, wrong = {0, 1000000000}, before = {-1, 0};
  errno = 0;
  check(syscall(SYS_futex, &waited, FUTEX_WAIT, 1, &little, NULL, 0) == -1);
  check(errno == EAGAIN);
  check(syscall(SYS_futex, &waited, FUTEX_WAIT, 0, &wrong, NULL, 0) == -1);
  check(errno == EINVAL);
  errno = 0;
  check(syscall(SYS_futex, &waited, FUTEX_WAIT, 1, &before, NULL, 0) == -1);
  check(errno == EINVAL);
  long r = syscall(SYS_futex, &waited, FUTEX_WAIT, 0, &little, NULL, 0);
  check(r == 0 || errno == ETIMEDOUT || errno == EINTR);
}
#pragma case divides: div ldiv lldiv
static void divides(void) {
  div_t a = div(-7, 2);
  ldiv_t b = ldiv(7, -2);
  lldiv_t c = lldiv(-9000000000LL, 4000000000LL);
  check(a.quot == -3 && a.rem == -1);
  check(b.quot == -3 && b.rem == 1);
  check(c.quot == -2 && c.rem == -1000000000);
  check(div(0, 5).quot == 0);
  check(div(INT_MIN, 1).quot == INT_MIN);
}
#pragma case draws: drand48 drand48_r lrand48 lrand48_r srand48 srand48_r
static void draws(void) {
  struct drand48_data data;
  double x;
  long n;
  srand48(3);
  double y = drand48();
  check(y >= 0 && y < 1);
  n = lrand48();
  check(n >= 0 && n <= 0x7fffffff);
  check(srand48_r(1, &data) == 0);
  check(drand48_r(&data, &x) == 0);
  check(x >= 0 && x < 1);
  check(lrand48_r(&data, &n) == 0);
  check(n >= 0 && n <= 0x7fffffff);
}
#pragma case strtod_moves: strtod strtof atof
extern double atof(const char *);
static void strtod_moves(void) {
  const char *text = "1.5x";
  char *end;
  strtod(text, &end);
  check(end >= text && end <= text + 4);
  strtof(text, &end);
  check(end >= text && end <= text + 4);
  double value = atof(text);
  check(value == value || value != value);
}
#pragma case random_families: erand48 nrand48 jrand48 mrand48
extern double erand48(unsigned short[3]);
extern long nrand48(unsigned short[3]), jrand48(unsigned short[3]), mrand48(void);
static void random_families(void) {
  unsigned short state[3] = {1, 2, 3};
  double fraction = erand48(state);
  check(fraction >= 0 && fraction < 1);
  long positive = nrand48(state), any = jrand48(state), other = mrand48();
  check(positive >= 0 && positive <= 2147483647);
  check(any >= -2147483648l && any <= 2147483647);
  check(other >= -2147483648l && other <= 2147483647);
}
#pragma case assumed_by_compilers: __builtin_assume_aligned __builtin_object_size __builtin_cpu_supports __builtin_cpu_init
static void assumed_by_compilers(void) {
  static _Alignas(16) int object[4];
  int *same = __builtin_assume_aligned(object, 16);
  check(same == object);
  static int hidden[2];
  int *volatile unknown = hidden;
  check(__builtin_object_size(unknown, 0) == ~0ul);
  check(__builtin_object_size(unknown, 2) == 0);
#if defined(__x86_64__) || defined(__WMBMC__)
  __builtin_cpu_init();
  int supported = __builtin_cpu_supports("avx2");
  check(supported == 0 || supported != 0);
#endif
}
