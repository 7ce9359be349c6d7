/* Lines of files (POSIX getline), in a program that reads some. */
/* A line of any characters, or none. The buffer is another one where it is too small, as in glibc. */
long getline(char **line, unsigned long *size, void *file) {
  const char *text = __wmbmc_environment();
  if (!text[0]) return -1;
  if (!*line || *size < 16) {
    *line = realloc(*line, 120);
    *size = 120;
  }
  long length = 0;
  for (; text[length]; length++) (*line)[length] = text[length];
  (*line)[length] = 0;
  return length;
}
