/* What `sprintf` and its like print of one argument (C11 7.21.6.1), in a program that calls them.
 *
 * `at` characters are printed already; what comes at `end` or behind is counted and not written. The
 * result is how many are printed then. A loop over digits or padding has a number of rounds that the
 * format gives; one over a string goes as far as the string. Flags: 1 for '-', 2 for '+', 4 for a
 * space, 8 for '#', 16 for '0', 32 for capital letters. A precision of -1 is none.
 */
unsigned long __put(char *to, unsigned long at, unsigned long end, char c) {
  if (at < end) to[at] = c;
  return at + 1;
}
unsigned long __put_padding(char *to, unsigned long at, unsigned long end, char c, int count, int most) {
  for (int i = 0; i < most; i++)
    if (i < count) at = __put(to, at, end, c);
  return at;
}
unsigned long __put_text(char *to, unsigned long at, unsigned long end, const char *text, int flags,
                         int width, int precision) {
  int n = 0;
  while (n != precision && text[n]) n++;
  if (!(flags & 1)) at = __put_padding(to, at, end, ' ', width - n, width);
  for (int i = 0; i < n; i++) at = __put(to, at, end, text[i]);
  if (flags & 1) at = __put_padding(to, at, end, ' ', width - n, width);
  return at;
}
unsigned long __put_character(char *to, unsigned long at, unsigned long end, char c, int flags, int width) {
  if (!(flags & 1)) at = __put_padding(to, at, end, ' ', width - 1, width);
  at = __put(to, at, end, c);
  if (flags & 1) at = __put_padding(to, at, end, ' ', width - 1, width);
  return at;
}
/* A number of at most `most` digits. */
unsigned long __put_number(char *to, unsigned long at, unsigned long end, unsigned long long value,
                           _Bool negative, unsigned int base, int most, int flags, int width,
                           int precision) {
  char digits[24];
  char letter = flags & 32 ? 'A' : 'a';
  int n = 0;
  unsigned long long rest = value;
  for (int i = 0; i < most; i++) {
    unsigned int digit = rest % base;
    if (rest) n = i + 1;
    digits[i] = digit < 10 ? '0' + digit : letter + (digit - 10);
    rest = rest / base;
  }
  int least = precision < 0 ? 1 : precision;
  int zeros = least > n ? least - n : 0;
  int most_zeros = least;
  if (base == 8 && flags & 8 && zeros == 0) zeros = 1;
  if (base == 8 && flags & 8 && most_zeros == 0) most_zeros = 1;
  int before = 0;
  if (negative || flags & 6) before = 1;
  if (base == 16 && flags & 8 && value) before = 2;
  if (flags & 16 && !(flags & 1) && precision < 0) {
    if (width - before - n > zeros) zeros = width - before - n;
    if (width > most_zeros) most_zeros = width;
  }
  int padding = width - before - zeros - n;
  if (!(flags & 1)) at = __put_padding(to, at, end, ' ', padding, width);
  if (negative) at = __put(to, at, end, '-');
  else if (flags & 2) at = __put(to, at, end, '+');
  else if (flags & 4) at = __put(to, at, end, ' ');
  if (before == 2) {
    at = __put(to, at, end, '0');
    at = __put(to, at, end, flags & 32 ? 'X' : 'x');
  }
  at = __put_padding(to, at, end, '0', zeros, most_zeros);
  for (int i = 0; i < most; i++)
    if (i < n) at = __put(to, at, end, digits[n - 1 - i]);
  if (flags & 1) at = __put_padding(to, at, end, ' ', padding, width);
  return at;
}
