/* Functions of <string.h>, <ctype.h> and <stdlib.h> that are given in C, the system call futex, and
 * what they need, which begins with two underscores.
 *
 * They are added to a program that calls one of them. Their loops are unwound like the program's
 * own, as `__wmbmc_strcmp.0` and so on. Where C says the sign of a result alone, or whether it is
 * zero, one value stands for all here, and the call puts any in its place (`builtin/signs.rs`).
 */
unsigned long strlen(const char *text) {
  unsigned long n = 0;
  while (text[n]) n++;
  return n;
}
unsigned long strnlen(const char *text, unsigned long size) {
  unsigned long n = 0;
  while (n < size && text[n]) n++;
  return n;
}
int strcmp(const char *a, const char *b) {
  for (unsigned long i = 0;; i++) {
    unsigned char x = (unsigned char)a[i], y = (unsigned char)b[i];
    if (x != y) return x < y ? -1 : 1;
    if (!x) return 0;
  }
}
int strncmp(const char *a, const char *b, unsigned long size) {
  for (unsigned long i = 0; i < size; i++) {
    unsigned char x = (unsigned char)a[i], y = (unsigned char)b[i];
    if (x != y) return x < y ? -1 : 1;
    if (!x) return 0;
  }
  return 0;
}
char *strcpy(char *to, const char *from) {
  for (unsigned long i = 0;; i++) {
    char c = from[i];
    to[i] = c;
    if (!c) return to;
  }
}
char *stpcpy(char *to, const char *from) {
  for (unsigned long i = 0;; i++) {
    char c = from[i];
    to[i] = c;
    if (!c) return to + i;
  }
}
char *strncpy(char *to, const char *from, unsigned long size) {
  _Bool ended = 0;
  for (unsigned long i = 0; i < size; i++) {
    char c = 0;
    if (!ended) c = from[i];
    if (!c) ended = 1;
    to[i] = c;
  }
  return to;
}
char *strcat(char *to, const char *from) {
  unsigned long end = 0;
  while (to[end]) end++;
  for (unsigned long i = 0;; i++) {
    char c = from[i];
    to[end + i] = c;
    if (!c) return to;
  }
}
char *strncat(char *to, const char *from, unsigned long size) {
  unsigned long end = 0, i = 0;
  while (to[end]) end++;
  for (; i < size && from[i]; i++) to[end + i] = from[i];
  to[end + i] = 0;
  return to;
}
char *strdup(const char *text) {
  unsigned long size = 1;
  while (text[size - 1]) size++;
  char *copy = malloc(size);
  for (unsigned long i = 0; i < size; i++) copy[i] = text[i];
  return copy;
}
char *strchr(const char *text, int c) {
  for (unsigned long i = 0;; i++) {
    if (text[i] == (char)c) return (char *)text + i;
    if (!text[i]) return 0;
  }
}
char *strrchr(const char *text, int c) {
  char *found = 0;
  for (unsigned long i = 0;; i++) {
    if (text[i] == (char)c) found = (char *)text + i;
    if (!text[i]) return found;
  }
}
char *strstr(const char *text, const char *part) {
  for (unsigned long i = 0;; i++) {
    unsigned long n = 0;
    while (part[n] && text[i + n] == part[n]) n++;
    if (!part[n]) return (char *)text + i;
    if (!text[i]) return 0;
  }
}
unsigned long strspn(const char *text, const char *characters) {
  for (unsigned long i = 0;; i++) {
    unsigned long n = 0;
    while (characters[n] && characters[n] != text[i]) n++;
    if (!text[i] || !characters[n]) return i;
  }
}
unsigned long strcspn(const char *text, const char *characters) {
  for (unsigned long i = 0;; i++) {
    unsigned long n = 0;
    while (characters[n] && characters[n] != text[i]) n++;
    if (!text[i] || characters[n]) return i;
  }
}
int strcasecmp(const char *a, const char *b) {
  for (unsigned long i = 0;; i++) {
    int x = (unsigned char)a[i], y = (unsigned char)b[i];
    if (x >= 'A' && x <= 'Z') x += 32;
    if (y >= 'A' && y <= 'Z') y += 32;
    if (x != y) return x < y ? -1 : 1;
    if (!x) return 0;
  }
}
int strncasecmp(const char *a, const char *b, unsigned long size) {
  for (unsigned long i = 0; i < size; i++) {
    int x = (unsigned char)a[i], y = (unsigned char)b[i];
    if (x >= 'A' && x <= 'Z') x += 32;
    if (y >= 'A' && y <= 'Z') y += 32;
    if (x != y) return x < y ? -1 : 1;
    if (!x) return 0;
  }
  return 0;
}
char *strndup(const char *text, unsigned long size) {
  unsigned long length = 0;
  while (length < size && text[length]) length++;
  char *copy = malloc(length + 1);
  for (unsigned long i = 0; i < length; i++) copy[i] = text[i];
  copy[length] = 0;
  return copy;
}
char *strpbrk(const char *text, const char *characters) {
  for (unsigned long i = 0; text[i]; i++)
    for (unsigned long n = 0; characters[n]; n++)
      if (characters[n] == text[i]) return (char *)text + i;
  return 0;
}
/* Whether a character is one of the separators; the end of the text is none. */
_Bool __separates(char c, const char *separators) {
  for (unsigned long n = 0; separators[n]; n++)
    if (separators[n] == c) return 1;
  return 0;
}
char *strsep(char **text, const char *separators) {
  char *first = *text;
  if (!first) return 0;
  for (unsigned long i = 0;; i++) {
    if (!first[i]) {
      *text = 0;
      return first;
    }
    if (__separates(first[i], separators)) {
      first[i] = 0;
      *text = first + i + 1;
      return first;
    }
  }
}
/* The next part between separators; the rest of the text is kept for the next call. */
char *__token(char *text, const char *separators, char **rest) {
  char *first = text ? text : *rest;
  if (!first) return 0;
  while (*first && __separates(*first, separators)) first++;
  if (!*first) {
    *rest = first;
    return 0;
  }
  for (unsigned long i = 0;; i++) {
    if (!first[i]) {
      *rest = first + i;
      return first;
    }
    if (__separates(first[i], separators)) {
      first[i] = 0;
      *rest = first + i + 1;
      return first;
    }
  }
}
char *strtok_r(char *text, const char *separators, char **rest) { return __token(text, separators, rest); }
/* One rest for all threads (C11 7.24.5.8). */
char *__wmbmc_rest_of_strtok;
char *strtok(char *text, const char *separators) { return __token(text, separators, &__wmbmc_rest_of_strtok); }
char *strcasestr(const char *text, const char *part) {
  for (unsigned long i = 0;; i++) {
    unsigned long n = 0;
    for (;; n++) {
      int x = (unsigned char)text[i + n], y = (unsigned char)part[n];
      if (x >= 'A' && x <= 'Z') x += 32;
      if (y >= 'A' && y <= 'Z') y += 32;
      if (!y || x != y) break;
    }
    if (!part[n]) return (char *)text + i;
    if (!text[i]) return 0;
  }
}
/* Which text it is, nothing says. */
char *strerror(int error) { return __wmbmc_environment(); }
char *strsignal(int number) { return __wmbmc_environment(); }
void *memchr(const void *memory, int c, unsigned long size) {
  const unsigned char *bytes = memory;
  for (unsigned long i = 0; i < size; i++)
    if (bytes[i] == (unsigned char)c) return (void *)(bytes + i);
  return 0;
}
int memcmp(const void *first, const void *second, unsigned long size) {
  const unsigned char *a = first, *b = second;
  for (unsigned long i = 0; i < size; i++)
    if (a[i] != b[i]) return a[i] < b[i] ? -1 : 1;
  return 0;
}
int isascii(int c) { return c >= 0 && c <= 127; }
int isblank(int c) { return c == ' ' || c == 9; }
int iscntrl(int c) { return (c >= 0 && c < 32) || c == 127; }
int isgraph(int c) { return c > 32 && c < 127; }
int isprint(int c) { return c >= 32 && c < 127; }
int ispunct(int c) {
  return c > 32 && c < 127 && !((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9'));
}
int isdigit(int c) { return c >= '0' && c <= '9'; }
int islower(int c) { return c >= 'a' && c <= 'z'; }
int isupper(int c) { return c >= 'A' && c <= 'Z'; }
int isalpha(int c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
int isalnum(int c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9'); }
int isspace(int c) { return c == ' ' || (c >= 9 && c <= 13); }
int isxdigit(int c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }
int tolower(int c) { return c >= 'A' && c <= 'Z' ? c + 32 : c; }
int toupper(int c) { return c >= 'a' && c <= 'z' ? c - 32 : c; }
long labs(long x) { return x < 0 ? -x : x; }
long long llabs(long long x) { return x < 0 ? -x : x; }
/* The magnitude of a number that must not be above `limit`; `errno` is ERANGE where it is. */
unsigned long long __digits(const char *text, char **end, int base, unsigned long long limit) {
  unsigned long i = 0;
  unsigned long long value = 0;
  _Bool any = 0, above = 0;
  while (text[i] == ' ' || (text[i] >= 9 && text[i] <= 13)) i++;
  if (text[i] == '-' || text[i] == '+') i++;
  if ((base == 0 || base == 16) && text[i] == '0' && (text[i + 1] == 'x' || text[i + 1] == 'X')) {
    char c = text[i + 2];
    if ((c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F')) {
      i += 2;
      base = 16;
    }
  }
  if (base == 0) base = text[i] == '0' ? 8 : 10;
  for (;; i++) {
    char c = text[i];
    int d = 99;
    if (c >= '0' && c <= '9') d = c - '0';
    if (c >= 'a' && c <= 'z') d = c - 'a' + 10;
    if (c >= 'A' && c <= 'Z') d = c - 'A' + 10;
    if (d >= base) break;
    any = 1;
    if (above || value > (limit - d) / base) above = 1;
    else value = value * base + d;
  }
  if (end) *end = (char *)text + (any ? i : 0);
  if (!above) return value;
  *__errno_location() = 34;
  return limit;
}
_Bool __negative(const char *text) {
  unsigned long i = 0;
  while (text[i] == ' ' || (text[i] >= 9 && text[i] <= 13)) i++;
  return text[i] == '-';
}
long strtol(const char *text, char **end, int base) {
  unsigned long most = ~0ul >> 1;
  if (!__negative(text)) return __digits(text, end, base, most);
  return 0 - __digits(text, end, base, most + 1);
}
unsigned long strtoul(const char *text, char **end, int base) {
  unsigned long value = __digits(text, end, base, ~0ul);
  return __negative(text) && value != ~0ul ? 0 - value : value;
}
long long strtoll(const char *text, char **end, int base) {
  unsigned long long most = ~0ull >> 1;
  if (!__negative(text)) return __digits(text, end, base, most);
  return 0 - __digits(text, end, base, most + 1);
}
unsigned long long strtoull(const char *text, char **end, int base) {
  unsigned long long value = __digits(text, end, base, ~0ull);
  return __negative(text) && value != ~0ull ? 0 - value : value;
}
/* Decimal numbers. What is too large ends at the limits, as in glibc. */
long long __decimal(const char *text) {
  unsigned long i = 0;
  unsigned long long value = 0;
  const unsigned long long most = ~0ull >> 1;
  _Bool negative = 0, above = 0;
  while (text[i] == ' ' || (text[i] >= 9 && text[i] <= 13)) i++;
  if (text[i] == '-' || text[i] == '+') {
    negative = text[i] == '-';
    i++;
  }
  for (; text[i] >= '0' && text[i] <= '9'; i++) {
    if (value > 922337203685477580) above = 1;
    else value = value * 10 + (text[i] - '0');
  }
  if (above || value > most + negative) value = most + negative;
  return negative ? 0 - value : value;
}
int ffs(int value) { return __builtin_ffs(value); }
int atoi(const char *text) { return __decimal(text); }
long atol(const char *text) {
  long long value = __decimal(text);
  const long most = ~0ul >> 1;
  return value > most ? most : value < -most - 1 ? -most - 1 : value;
}
long long atoll(const char *text) { return __decimal(text); }
/* futex(2), the system call without its number. A wait compares the value and fails at once if it
 * differs; otherwise it ends at any time, woken or not, and late only where it was given a limit, which
 * has seconds and nanoseconds. No list is kept of those who wait, and a call that wakes says any number.
 * Nothing is ordered that the program does not order itself. */
long __futex(int *word, int operation, int value, const long *limit) {
  int command = operation & 127;
  if (command == 0 || command == 9) {
    if (limit && (limit[0] < 0 || limit[1] < 0 || limit[1] > 999999999)) {
      *__errno_location() = 22;
      return -1;
    }
    if (__atomic_load_n(word, 0) != value) {
      *__errno_location() = 11;
      return -1;
    }
    if (!limit) __wmbmc_sleeps();
    if (__VERIFIER_nondet_bool()) return 0;
    *__errno_location() = !limit || __VERIFIER_nondet_bool() ? 4 : 110;
    return -1;
  }
  if (command == 1 || command == 10) {
    int woken = __VERIFIER_nondet_int();
    __VERIFIER_assume(woken >= 0 && (woken <= value || woken == 1));
    return woken;
  }
  if (command == 3 || command == 4) {
    int moved = __VERIFIER_nondet_int();
    if (command == 4 && moved < 0) {
      *__errno_location() = 11;
      return -1;
    }
    __VERIFIER_assume(moved >= 0);
    return moved;
  }
  __wmbmc_other_futex();
  return 0;
}
/* A call of the system by the instruction of x86-64: the result is below 0 where it fails. */
long __system_call(long number, long a, long b, long c, long d) {
  if (number == 186) {
    long thread = __VERIFIER_nondet_long();
    __VERIFIER_assume(thread >= 1);
    return thread;
  }
  if (number != 202) {
    __wmbmc_other_system_call();
    return __VERIFIER_nondet_long();
  }
  int kept = *__errno_location();
  long result = __wmbmc___futex((int *)a, (int)b, (int)c, (const long *)d);
  if (result < 0) result = -(long)*__errno_location();
  *__errno_location() = kept;
  return result;
}
/* Numbers that are any value of their type; `end` is anywhere in the text. */
double strtod(const char *text, char **end) {
  unsigned long length = 0, read = __VERIFIER_nondet_ulong();
  while (text[length]) length++;
  __VERIFIER_assume(read <= length);
  if (end) *end = (char *)text + read;
  return __VERIFIER_nondet_double();
}
float strtof(const char *text, char **end) {
  unsigned long length = 0, read = __VERIFIER_nondet_ulong();
  while (text[length]) length++;
  __VERIFIER_assume(read <= length);
  if (end) *end = (char *)text + read;
  return __VERIFIER_nondet_float();
}
double atof(const char *text) {
  unsigned long length = 0;
  while (text[length]) length++;
  return __VERIFIER_nondet_double();
}
double erand48(unsigned short *state) {
  for (int i = 0; i < 3; i++) state[i] = __VERIFIER_nondet_ushort();
  double value = __VERIFIER_nondet_double();
  __VERIFIER_assume(value >= 0 && value < 1);
  return value;
}
long nrand48(unsigned short *state) {
  for (int i = 0; i < 3; i++) state[i] = __VERIFIER_nondet_ushort();
  long value = __VERIFIER_nondet_long();
  __VERIFIER_assume(value >= 0 && value <= 2147483647);
  return value;
}
long jrand48(unsigned short *state) {
  for (int i = 0; i < 3; i++) state[i] = __VERIFIER_nondet_ushort();
  return __VERIFIER_nondet_int();
}
long mrand48(void) { return __VERIFIER_nondet_int(); }
/* Descriptors that are any number of those that are open, and what they give any bytes. */
int pipe(int *ends) {
  if (__VERIFIER_nondet_bool()) {
    *__errno_location() = 24;
    return -1;
  }
  for (int i = 0; i < 2; i++) {
    int end = __VERIFIER_nondet_int();
    __VERIFIER_assume(end >= 0);
    ends[i] = end;
  }
  __VERIFIER_assume(ends[0] != ends[1]);
  return 0;
}
/* Linux has no more processors, and these sizes of pages; other limits are any. */
long sysconf(int name) {
  long value = __VERIFIER_nondet_long();
  if (name == 83 || name == 84) __VERIFIER_assume(value >= 1 && value <= 8192);
  else if (name == 30) __VERIFIER_assume(value == 4096 || value == 16384 || value == 65536);
  else __VERIFIER_assume(value >= -1);
  return value;
}
/* Sets of signals are bits; two signals are the library's own. Masks and handlers have no effect here. */
int sigemptyset(void *set) {
  for (unsigned long i = 0; i < 128 / sizeof(long); i++) ((unsigned long *)set)[i] = 0;
  return 0;
}
int sigfillset(void *set) {
  for (unsigned long i = 0; i < 128 / sizeof(long); i++) ((unsigned long *)set)[i] = ~0ul;
  ((unsigned long *)set)[31 / (8 * sizeof(long))] &= ~(1ul << 31);
  ((unsigned long *)set)[32 / (8 * sizeof(long))] &= ~(1ul << 32 % (8 * sizeof(long)));
  return 0;
}
int __signal_of_set(int number) {
  if (number >= 1 && number <= 64 && number != 32 && number != 33) return 1;
  *__errno_location() = 22;
  return 0;
}
int sigaddset(void *set, int number) {
  if (!__signal_of_set(number)) return -1;
  ((unsigned long *)set)[(number - 1) / (8 * sizeof(long))] |= 1ul << (number - 1) % (8 * sizeof(long));
  return 0;
}
int sigdelset(void *set, int number) {
  if (!__signal_of_set(number)) return -1;
  ((unsigned long *)set)[(number - 1) / (8 * sizeof(long))] &= ~(1ul << (number - 1) % (8 * sizeof(long)));
  return 0;
}
int sigismember(const void *set, int number) {
  if (number < 1 || number > 64) {
    *__errno_location() = 22;
    return -1;
  }
  return ((const unsigned long *)set)[(number - 1) / (8 * sizeof(long))] >> (number - 1) % (8 * sizeof(long)) & 1;
}
int pthread_sigmask(int how, const void *set, void *old) {
  if (set && (how < 0 || how > 2)) return 22;
  if (old)
    for (unsigned long i = 0; i < 128 / sizeof(long); i++) ((unsigned long *)old)[i] = __VERIFIER_nondet_ulong();
  return 0;
}
int sigprocmask(int how, const void *set, void *old) {
  int error = __wmbmc_pthread_sigmask(how, set, old);
  if (!error) return 0;
  *__errno_location() = error;
  return -1;
}
/* Files are ready or not; without files it sleeps. */
int poll(void *files, unsigned long count, int milliseconds) {
  for (unsigned long i = 0; i < count; i++) ((short *)files)[4 * i + 3] = __VERIFIER_nondet_short();
  int ready = __VERIFIER_nondet_int();
  __VERIFIER_assume(ready >= -1 && ready <= (int)count);
  if (ready == -1) *__errno_location() = count ? 12 : 4;
  return ready;
}
/* The name of a thread is any string. */
int pthread_getname_np(unsigned long thread, char *name, unsigned long size) {
  if (size < 16) return 34;
  for (int i = 0; i < 15; i++) name[i] = __VERIFIER_nondet_char();
  name[15] = 0;
  return 0;
}
/* A variable is not set, or has any value. */
char *getenv(const char *name) {
  if (__VERIFIER_nondet_int()) return 0;
  return __wmbmc_environment();
}
void *bsearch(const void *key, const void *base, unsigned long count, unsigned long size,
              int (*compare)(const void *, const void *)) {
  unsigned long low = 0, high = count;
  while (low < high) {
    unsigned long middle = (low + high) / 2;
    const char *element = (const char *)base + middle * size;
    int order = compare(key, element);
    if (order == 0) return (void *)element;
    if (order < 0) high = middle;
    else low = middle + 1;
  }
  return 0;
}
/* Exchanges two elements, word by word. */
void __exchange(char *a, char *b, unsigned long size) {
  if (size % 8 == 0) {
    for (unsigned long i = 0; i < size; i += 8) {
      unsigned long long kept = *(unsigned long long *)(a + i);
      *(unsigned long long *)(a + i) = *(unsigned long long *)(b + i);
      *(unsigned long long *)(b + i) = kept;
    }
  } else if (size % 4 == 0) {
    for (unsigned long i = 0; i < size; i += 4) {
      unsigned int kept = *(unsigned int *)(a + i);
      *(unsigned int *)(a + i) = *(unsigned int *)(b + i);
      *(unsigned int *)(b + i) = kept;
    }
  } else {
    for (unsigned long i = 0; i < size; i++) {
      char kept = a[i];
      a[i] = b[i];
      b[i] = kept;
    }
  }
}
/* By insertion. Elements that are equal come in any order. */
void qsort(void *base, unsigned long count, unsigned long size,
           int (*compare)(const void *, const void *)) {
  for (unsigned long i = 1; i < count; i++) {
    for (unsigned long j = i; j > 0; j--) {
      char *later = (char *)base + j * size;
      int order = compare(later - size, later);
      if (order < 0 || (order == 0 && __VERIFIER_nondet_int())) break;
      __exchange(later - size, later, size);
    }
  }
}
/* The destructors of thread-specific keys, where a thread ends. They run again for values that they
 * set themselves, a few times. */
void __end_of_thread(void) {
  for (int again = 0; again < 4; again++) {
    _Bool any = 0;
    for (unsigned int key = 0; key < __wmbmc_keys(); key++) {
      void *value = pthread_getspecific(key);
      void (*destroy)(void *) = __wmbmc_destructor(key);
      if (!value || !destroy) continue;
      pthread_setspecific(key, (void *)0);
      destroy(value);
      any = 1;
    }
    if (!any) return;
  }
}
