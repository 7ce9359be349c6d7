/* `vsnprintf` and its like (C11 7.21.6.12), in a program that calls them: the format is read as it is
 * executed, so that what one that is known prints is exact wherever it comes from.
 *
 * `args` leads to the slots of the arguments (see lower/c/variadic.rs), and `__put_number` and the others
 * are those of library_print.c. What is printed of floating-point numbers and pointers is any text: behind
 * it nothing of the text is known, and the result is any that is not below what was printed before. Where
 * the room is not known, such a conversion is not understood.
 */
unsigned long __print_anything(char *to, unsigned long at, unsigned long end, int bounded) {
  if (!bounded) __wmbmc_prints_anything();
  for (unsigned long i = at; i < end; i++) to[i] = __VERIFIER_nondet_char();
  int length = __VERIFIER_nondet_int();
  __VERIFIER_assume(length > 0 && (unsigned long)length > at);
  return length;
}
unsigned long __print_list(char *to, unsigned long end, const char *format, unsigned long long *args,
                           int bounded) {
  unsigned long at = 0;
  for (unsigned long i = 0; format[i]; i++) {
    if (format[i] != '%') {
      at = __put(to, at, end, format[i]);
      continue;
    }
    i++;
    int flags = 0;
    for (;; i++) {
      if (format[i] == '-') flags |= 1;
      else if (format[i] == '+') flags |= 2;
      else if (format[i] == ' ') flags |= 4;
      else if (format[i] == '#') flags |= 8;
      else if (format[i] == '0') flags |= 16;
      else break;
    }
    int width = 0, precision = -1;
    if (format[i] == '*') {
      width = (int)*args++;
      i++;
      if (width < 0) {
        flags |= 1;
        width = -width;
      }
    } else {
      for (; format[i] >= '0' && format[i] <= '9'; i++) width = 10 * width + (format[i] - '0');
    }
    if (format[i] == '.') {
      i++;
      precision = 0;
      if (format[i] == '*') {
        precision = (int)*args++;
        i++;
        if (precision < 0) precision = -1;
      } else {
        for (; format[i] >= '0' && format[i] <= '9'; i++) precision = 10 * precision + (format[i] - '0');
      }
    }
    unsigned long bytes = sizeof(int), length = i;
    if (format[i] == 'h') {
      bytes = format[i + 1] == 'h' ? 1 : 2;
      i += bytes == 1 ? 2 : 1;
    } else if (format[i] == 'l') {
      bytes = format[i + 1] == 'l' ? 8 : sizeof(long);
      i += format[i + 1] == 'l' ? 2 : 1;
    } else if (format[i] == 'z' || format[i] == 't') {
      bytes = sizeof(long);
      i++;
    } else if (format[i] == 'j' || format[i] == 'q') {
      bytes = 8;
      i++;
    }
    _Bool has_length = i != length;
    char kind = format[i];
    if (kind == '%') {
      at = __put(to, at, end, '%');
    } else if (kind == 'd' || kind == 'i' || kind == 'u' || kind == 'x' || kind == 'X' || kind == 'o') {
      unsigned int unused = 64 - 8 * bytes;
      unsigned long long value = *args++ << unused;
      _Bool negative = 0;
      if (kind == 'd' || kind == 'i') {
        negative = value >> 63;
        if (negative) value = -value;
      } else {
        flags &= ~6;
      }
      value = value >> unused;
      unsigned int base = 10;
      int most = bytes == 1 ? 3 : bytes == 2 ? 5 : bytes == 4 ? 10 : 20;
      if (kind == 'x' || kind == 'X') {
        base = 16;
        most = 2 * bytes;
      } else if (kind == 'o') {
        base = 8;
        most = (8 * bytes + 2) / 3;
      }
      if (kind == 'X') flags |= 32;
      at = __put_number(to, at, end, value, negative, base, most, flags, width, precision);
    } else if (kind == 'c' && !has_length) {
      at = __put_character(to, at, end, (char)*args++, flags, width);
    } else if (kind == 's' && !has_length) {
      at = __put_text(to, at, end, (const char *)(unsigned long)*args++, flags, width, precision);
    } else if (kind == 'n') {
      __wmbmc_prints_anything();
    } else {
      return __print_anything(to, at, end, bounded);
    }
  }
  return at;
}
int vsnprintf(char *to, unsigned long size, const char *format, unsigned long long *args) {
  unsigned long end = size ? size - 1 : 0;
  unsigned long at = __print_list(to, end, format, args, 1);
  if (size) to[at < end ? at : end] = 0;
  return at;
}
int vsprintf(char *to, const char *format, unsigned long long *args) {
  unsigned long at = __print_list(to, ~0ul, format, args, 0);
  to[at] = 0;
  return at;
}
int vasprintf(char **result, const char *format, unsigned long long *args) {
  unsigned long length = __print_list(0, 0, format, args, 0);
  char *text = malloc(length + 1);
  __print_list(text, length, format, args, 0);
  text[length] = 0;
  *result = text;
  return length;
}
int asprintf(char **result, const char *format, ...) {
  __builtin_va_list args;
  __builtin_va_start(args, format);
  int length = __wmbmc_vasprintf(result, format, args);
  __builtin_va_end(args);
  return length;
}
