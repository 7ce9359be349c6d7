#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "check.h"

int asprintf(char **, const char *, ...);
int vasprintf(char **, const char *, va_list);

static int print(char *to, size_t size, const char *format, ...) {
  va_list args;
  va_start(args, format);
  int n = vsnprintf(to, size, format, args);
  va_end(args);
  return n;
}
static int print_all(char *to, const char *format, ...) {
  va_list args;
  va_start(args, format);
  int n = vsprintf(to, format, args);
  va_end(args);
  return n;
}
static int print_new(char **to, const char *format, ...) {
  va_list args;
  va_start(args, format);
  int n = vasprintf(to, format, args);
  va_end(args);
  return n;
}

#pragma case list_of_numbers: vsnprintf
static void list_of_numbers(void) {
  char b[48];
  check(print(b, sizeof b, "%d,%i,%u", -12, 0, 4000000000u) == 16);
  check(strcmp(b, "-12,0,4000000000") == 0);
  print(b, sizeof b, "%x %X %o %#x %#o", 255, 255, 8, 16, 8);
  check(strcmp(b, "ff FF 10 0x10 010") == 0);
  print(b, sizeof b, "%hhd %hhu %hd %hu", 200, 300, 40000, -1);
  check(strcmp(b, "-56 44 -25536 65535") == 0);
}
#pragma case list_of_long_numbers: vsnprintf
static void list_of_long_numbers(void) {
  char b[64];
  print(b, sizeof b, "%ld %lu %lld", -5L, 7UL, -9000000000LL);
  check(strcmp(b, "-5 7 -9000000000") == 0);
  print(b, sizeof b, "%zu|%td|%jd", (size_t)3, (ptrdiff_t)-4, (intmax_t)1);
  check(strcmp(b, "3|-4|1") == 0);
  print(b, sizeof b, "%llx", 0xfedcba9876543210ULL);
  check(strcmp(b, "fedcba9876543210") == 0);
}
#pragma case list_with_widths: vsnprintf
static void list_with_widths(void) {
  char b[64];
  print(b, sizeof b, "[%5d|%-5d|%05d|%+d|% d]", 42, 42, 42, 42, 42);
  check(strcmp(b, "[   42|42   |00042|+42| 42]") == 0);
  print(b, sizeof b, "[%.3d|%8.3d|%-8.3x|%.0d]", 7, -7, 11, 0);
  check(strcmp(b, "[007|    -007|00b     |]") == 0);
  print(b, sizeof b, "[%*d|%-*d|%.*d|%*d]", 4, 1, 4, 2, 3, 3, -3, 9);
  check(strcmp(b, "[   1|2   |003|9  ]") == 0);
}
#pragma case list_of_texts: vsnprintf
static void list_of_texts(void) {
  char b[32];
  check(print(b, sizeof b, "%s-%c-%%-%5s|%-4s|", "ab", 'x', "cd", "e") == 18);
  check(strcmp(b, "ab-x-%-   cd|e   |") == 0);
  print(b, sizeof b, "%.2s%3c%-3c.", "abcdef", 'y', 'z');
  check(strcmp(b, "ab  yz  .") == 0);
}
#pragma case list_cut_off: vsnprintf
static void list_cut_off(void) {
  char b[5] = {9, 9, 9, 9, 9};
  check(print(b, 4, "%s%d", "ab", 1234) == 6);
  check(strcmp(b, "ab1") == 0);
  check(b[4] == 9);
  check(print(0, 0, "%d", 100) == 3);
  check(print(b, 1, "%s", "xyz") == 3);
  check(b[0] == 0);
}
#pragma case list_computed: vsnprintf
static void list_computed(void) {
  char b[8], format[] = "%.";
  volatile size_t size = sizeof b;
  format[1] = 'd';
  check(print(b, size, format, 31) == 2);
  check(strcmp(b, "31") == 0);
}
#pragma case list_of_fractions: vsnprintf
static void list_of_fractions(void) {
  char b[5];
  volatile double x = 1.5;
  check(print(b, sizeof b, "a%f", x) > 1);
  check(b[0] == 'a');
}
#pragma case list_without_size: vsprintf
static void list_without_size(void) {
  char b[16];
  check(print_all(b, "%d/%s", 3, "four") == 6);
  check(strcmp(b, "3/four") == 0);
}
#pragma case list_into_new: vasprintf
static void list_into_new(void) {
  char *text = 0;
  check(print_new(&text, "%s:%03d", "k", 5) == 5);
  check(strcmp(text, "k:005") == 0);
  free(text);
}
#pragma case printed_into_new: asprintf
static void printed_into_new(void) {
  char *text = 0;
  check(asprintf(&text, "%c%u", 'a', 12u) == 3);
  check(strcmp(text, "a12") == 0);
  free(text);
}
