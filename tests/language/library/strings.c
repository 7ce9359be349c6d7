#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include "check.h"

static int sign(int x) { return x < 0 ? -1 : x > 0; }

#pragma case strlen_empty: strlen
static void strlen_empty(void) {
  char a[4] = "";
  check(strlen(a) == 0);
  check(strlen("") == 0);
}
#pragma case strlen_full: strlen
static void strlen_full(void) {
  char a[4] = "abc";
  check(strlen(a) == 3);
  a[1] = 0;
  check(strlen(a) == 1);
  check(strlen("a\0b") == 1);
}
#pragma case strlen_builtin: __builtin_strlen
static void strlen_builtin(void) {
  char a[8] = "hello";
  check(__builtin_strlen(a) == 5);
  check(__builtin_strlen("xy") == 2);
}
#pragma case strnlen_limit: strnlen
extern size_t strnlen(const char *, size_t);
static void strnlen_limit(void) {
  char a[3] = {'x', 'y', 'z'};
  check(strnlen(a, 3) == 3);
  check(strnlen(a, 0) == 0);
  check(strnlen("x", 9) == 1);
}
#pragma case strcmp_equal: strcmp
static void strcmp_equal(void) {
  char a[4] = "abc", b[8] = "abc";
  check(strcmp(a, b) == 0);
  check(strcmp("", "") == 0);
}
#pragma case strcmp_order: strcmp
static void strcmp_order(void) {
  check(sign(strcmp("abc", "abd")) == -1);
  check(sign(strcmp("b", "abc")) == 1);
  check(sign(strcmp("ab", "abc")) == -1);
  check(sign(strcmp("abc", "ab")) == 1);
  check(sign(strcmp("", "a")) == -1);
}
#pragma case strcmp_unsigned: strcmp
static void strcmp_unsigned(void) {
  check(sign(strcmp("\x80", "\x7f")) == 1);
  check(sign(strcmp("a\xff", "a")) == 1);
}
#pragma case strncmp_limit: strncmp
static void strncmp_limit(void) {
  check(strncmp("hello", "help", 3) == 0);
  check(sign(strncmp("hello", "help", 4)) == -1);
  check(strncmp("a", "b", 0) == 0);
  check(strncmp("a", "a", 9) == 0);
  check(sign(strncmp("ab", "a", 2)) == 1);
}
#pragma case strcpy_copies: strcpy
static void strcpy_copies(void) {
  char b[4] = {9, 9, 9, 9};
  check(strcpy(b, "ab") == b);
  check(b[0] == 'a');
  check(b[2] == 0);
  check(b[3] == 9);
}
#pragma case strcpy_empty: strcpy
static void strcpy_empty(void) {
  char b[2] = {9, 9};
  strcpy(b, "");
  check(b[0] == 0);
  check(b[1] == 9);
}
#pragma case stpcpy_end: stpcpy
extern char *stpcpy(char *, const char *);
static void stpcpy_end(void) {
  char b[4] = {9, 9, 9, 9};
  check(stpcpy(b, "ab") == b + 2);
  check(strcmp(b, "ab") == 0);
}
#pragma case strncpy_pads: strncpy
static void strncpy_pads(void) {
  char b[5] = {9, 9, 9, 9, 9};
  check(strncpy(b, "a", 4) == b);
  check(b[0] == 'a');
  check(b[1] == 0 && b[3] == 0);
  check(b[4] == 9);
}
#pragma case strncpy_cuts: strncpy
static void strncpy_cuts(void) {
  char b[3] = {9, 9, 9};
  strncpy(b, "abc", 2);
  check(b[1] == 'b');
  check(b[2] == 9);
}
#pragma case strcat_appends: strcat
static void strcat_appends(void) {
  char b[6] = {'a', 0, 9, 9, 9, 9};
  check(strcat(b, "bc") == b);
  check(strcmp(b, "abc") == 0);
  check(b[4] == 9);
  strcat(b, "");
  check(strlen(b) == 3);
}
#pragma case strncat_limit: strncat
static void strncat_limit(void) {
  char b[8] = "a";
  check(strncat(b, "bcd", 2) == b);
  check(strcmp(b, "abc") == 0);
  strncat(b, "x", 5);
  check(strcmp(b, "abcx") == 0);
  strncat(b, "y", 0);
  check(strlen(b) == 4);
}
#pragma case strchr_finds: strchr
static void strchr_finds(void) {
  const char *a = "abca";
  check(strchr(a, 'a') == a);
  check(strchr(a, 'c') == a + 2);
  check(strchr(a, 'x') == NULL);
  check(strchr(a, 0) == a + 4);
}
#pragma case strchr_converts: strchr
static void strchr_converts(void) {
  const char *a = "xa";
  check(strchr(a, 256 + 'a') == a + 1);
}
#pragma case strrchr_last: strrchr
static void strrchr_last(void) {
  const char *a = "abca";
  check(strrchr(a, 'a') == a + 3);
  check(strrchr(a, 'b') == a + 1);
  check(strrchr(a, 'z') == NULL);
  check(strrchr(a, 0) == a + 4);
}
#pragma case spans: strspn strcspn
static void spans(void) {
  check(strspn("aabc", "ba") == 3);
  check(strspn("xab", "ab") == 0);
  check(strspn("ab", "ab") == 2);
  check(strspn("ab", "") == 0);
  check(strcspn("ab,c", ",;") == 2);
  check(strcspn("abc", ",") == 3);
  check(strcspn(",", ",") == 0);
  check(strcspn("ab", "") == 2);
}
#pragma case strstr_finds: strstr
static void strstr_finds(void) {
  const char *a = "aabab";
  check(strstr(a, "ab") == a + 1);
  check(strstr(a, "") == a);
  check(strstr(a, "bb") == NULL);
  check(strstr(a, "abab") == a + 1);
  check(strstr("", "a") == NULL);
}
#pragma case strdup_copies: strdup
extern char *strdup(const char *);
static void strdup_copies(void) {
  char a[3] = "hi", *b = strdup(a);
  check(b != a);
  check(strcmp(b, "hi") == 0);
  a[0] = 'x';
  check(b[0] == 'h');
  free(b);
}
#pragma case memchr_bounds: memchr
static void memchr_bounds(void) {
  char a[4] = {'a', 0, 'b', 'c'};
  check(memchr(a, 'b', 4) == a + 2);
  check(memchr(a, 'b', 2) == NULL);
  check(memchr(a, 0, 4) == a + 1);
  check(memchr(a, 'a', 0) == NULL);
}
#pragma case memcmp_bytes: memcmp
static void memcmp_bytes(void) {
  check(memcmp("abc", "abd", 2) == 0);
  check(sign(memcmp("abc", "abd", 3)) == -1);
  check(sign(memcmp("\xff", "\x01", 1)) == 1);
  check(memcmp("a", "b", 0) == 0);
}
#pragma case memcmp_zero: memcmp __builtin_memcmp
static void memcmp_zero(void) {
  char a[3] = {1, 0, 2}, b[3] = {1, 0, 3};
  check(sign(memcmp(a, b, 3)) == -1);
  check(memcmp(a, b, 2) == 0);
  check(sign(__builtin_memcmp(b, a, 3)) == 1);
}
#pragma case memcmp_int: memcmp
static void memcmp_int(void) {
  int a[2] = {1, 256}, b[2] = {1, 1};
  check(memcmp(a, b, sizeof(int)) == 0);
  check(sign(memcmp(a, b, sizeof a)) == -1);
}
#pragma case bcmp_equal: bcmp
extern int bcmp(const void *, const void *, size_t);
static void bcmp_equal(void) {
  check(bcmp("ab", "ab", 2) == 0);
  check(bcmp("ab", "ac", 2) != 0);
}
#pragma case memcpy_array: memcpy
static void memcpy_array(void) {
  int a[3] = {1, 2, 3}, b[3] = {7, 7, 7};
  check(memcpy(b, a, 2 * sizeof(int)) == b);
  check(b[0] == 1 && b[1] == 2);
  check(b[2] == 7);
}
#pragma case memcpy_struct: memcpy __builtin_memcpy
struct point { int x; short y; char z; };
static void memcpy_struct(void) {
  struct point p = {1, 2, 3}, q = {0, 0, 0}, r;
  memcpy(&q, &p, sizeof p);
  check(q.x == 1 && q.y == 2 && q.z == 3);
  __builtin_memcpy(&r, &q, sizeof q);
  check(r.y == 2);
}
#pragma case memcpy_none: memcpy
static void memcpy_none(void) {
  char a[1] = {1}, b[1] = {2};
  memcpy(a, b, 0);
  check(a[0] == 1);
}
#pragma case memmove_up: memmove
static void memmove_up(void) {
  int a[4] = {1, 2, 3, 4};
  check(memmove(a + 1, a, 3 * sizeof(int)) == a + 1);
  check(a[0] == 1 && a[1] == 1);
  check(a[2] == 2 && a[3] == 3);
}
#pragma case memmove_down: memmove __builtin_memmove
static void memmove_down(void) {
  char a[4] = {1, 2, 3, 4};
  __builtin_memmove(a, a + 1, 3);
  check(a[0] == 2 && a[1] == 3);
  check(a[2] == 4 && a[3] == 4);
}
#pragma case memset_bytes: memset
static void memset_bytes(void) {
  int a[2] = {1, 1};
  check(memset(a, 0x11, sizeof(int)) == a);
  check(a[0] == 0x11111111);
  check(a[1] == 1);
}
#pragma case memset_converts: memset __builtin_memset
static void memset_converts(void) {
  unsigned char a[3] = {1, 1, 1};
  memset(a, 0x1ff, 2);
  check(a[1] == 255);
  __builtin_memset(a, 0, 1);
  check(a[0] == 0 && a[2] == 1);
}
#pragma case memset_zero: memset
static void memset_zero(void) {
  struct { char *p; long n; } s = {"x", 4};
  memset(&s, 0, sizeof s);
  check(s.p == NULL);
  check(s.n == 0);
}
#pragma case bzero_clears: bzero
extern void bzero(void *, size_t);
static void bzero_clears(void) {
  char a[3] = {1, 2, 3};
  bzero(a, 2);
  check(a[1] == 0);
  check(a[2] == 3);
}
#pragma case isdigit_bounds: isdigit
static void isdigit_bounds(void) {
  check(isdigit('0') && isdigit('9'));
  check(!isdigit('0' - 1) && !isdigit('9' + 1));
  check(!isdigit(-1));
}
#pragma case isalpha_bounds: isalpha
static void isalpha_bounds(void) {
  check(isalpha('a') && isalpha('Z'));
  check(!isalpha('0') && !isalpha('@'));
  check(!isalpha('[') && !isalpha('{'));
}
#pragma case isalnum_bounds: isalnum
static void isalnum_bounds(void) {
  check(isalnum('a') && isalnum('5'));
  check(!isalnum('_') && !isalnum(' '));
}
#pragma case isspace_bounds: isspace
static void isspace_bounds(void) {
  check(isspace(' ') && isspace('\t') && isspace('\r'));
  check(!isspace(8) && !isspace(14));
  check(!isspace('a'));
}
#pragma case isupper_bounds: isupper islower
static void isupper_bounds(void) {
  check(isupper('A') && isupper('Z'));
  check(!isupper('a') && !isupper('@'));
  check(islower('a') && islower('z'));
  check(!islower('A') && !islower('{'));
}
#pragma case isxdigit_bounds: isxdigit
static void isxdigit_bounds(void) {
  check(isxdigit('f') && isxdigit('F') && isxdigit('9'));
  check(!isxdigit('g') && !isxdigit('G'));
}
#pragma case tolower_letters: tolower toupper
static void tolower_letters(void) {
  check(tolower('Q') == 'q');
  check(tolower('q') == 'q' && tolower('1') == '1');
  check(toupper('z') == 'Z');
  check(toupper('Z') == 'Z' && toupper('{') == '{');
}
#pragma case strcasecmp_order: strcasecmp strncasecmp
#include <strings.h>
static void strcasecmp_order(void) {
  check(strcasecmp("HeLLo", "hEllO") == 0);
  check(sign(strcasecmp("a", "B")) == -1);
  check(sign(strcasecmp("ab", "A")) == 1);
  check(sign(strcasecmp("[", "a")) == -1);
  check(strncasecmp("HELp", "help!", 4) == 0);
  check(sign(strncasecmp("HELQ", "help", 4)) == 1);
  check(strncasecmp("x", "y", 0) == 0);
}
#pragma case strndup_copies: strndup
extern char *strndup(const char *, size_t);
static void strndup_copies(void) {
  char *copy = strndup("abc", 2), *all = strndup("ab", 9);
  if (!copy || !all) return;
  check(copy[0] == 'a' && copy[1] == 'b' && copy[2] == 0);
  check(all[1] == 'b' && all[2] == 0);
  free(copy);
  free(all);
}
#pragma case strpbrk_finds: strpbrk
static void strpbrk_finds(void) {
  const char *text = "a,b;c";
  check(strpbrk(text, ";,") == text + 1);
  check(strpbrk(text, "xyz") == 0);
  check(strpbrk(text, "") == 0);
}
#pragma case strsep_splits: strsep
extern char *strsep(char **, const char *);
static void strsep_splits(void) {
  char text[] = "a,,b", *rest = text;
  check(strsep(&rest, ",") == text && text[1] == 0);
  check(strsep(&rest, ",") == text + 2 && text[2] == 0);
  check(strsep(&rest, ",") == text + 3 && rest == 0);
  check(strsep(&rest, ",") == 0);
}
#pragma case strtok_splits: strtok strtok_r
extern char *strtok_r(char *, const char *, char **);
static void strtok_splits(void) {
  char text[] = ",a,b", other[] = "x y", *rest;
  check(strtok(text, ",") == text + 1);
  check(strtok_r(other, " ", &rest) == other && other[1] == 0);
  check(strtok(0, ",") == text + 3);
  check(strtok(0, ",") == 0);
  check(strtok_r(0, " ", &rest) == other + 2);
  check(strtok_r(0, " ", &rest) == 0);
}
#pragma case strcasestr_finds: strcasestr
extern char *strcasestr(const char *, const char *);
static void strcasestr_finds(void) {
  const char *text = "aBc";
  check(strcasestr(text, "bC") == text + 1);
  check(strcasestr(text, "d") == 0);
  check(strcasestr(text, "") == text);
}
#pragma case strerror_is_a_string: strerror strsignal
extern char *strsignal(int);
static void strerror_is_a_string(void) {
  char *text = strerror(2);
  check(text != 0);
  check(strsignal(9) != 0);
}
#pragma case ctype_classes: isascii isblank iscntrl isgraph isprint ispunct
static void ctype_classes(void) {
  check(isascii(127) && !isascii(128));
  check(isblank(' ') && isblank('\t') && !isblank('\n'));
  check(iscntrl('\n') && iscntrl(127) && !iscntrl(' '));
  check(isgraph('!') && !isgraph(' '));
  check(isprint(' ') && isprint('~') && !isprint(127));
  check(ispunct('[') && ispunct('/') && !ispunct('a') && !ispunct('5') && !ispunct(' '));
}
#pragma case sscanf_counts: sscanf
extern int sscanf(const char *, const char *, ...);
static void sscanf_counts(void) {
  int a = 0, b = 0, read = sscanf("1 2", "%d %d", &a, &b);
  check(read <= 2 && read >= -1);
}
