/* The functions on strings and on memory. */
#include <assert.h>
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

struct point {
  int x;
  short y, z;
};

static int sign(int x) { return x < 0 ? -1 : x > 0; }

int main(int argc, char **argv) {
  char a[16] = "hello", b[16];
  assert(strlen(a) == 5 && strlen("") == 0 && strnlen(a, 3) == 3);
  strcpy(b, a);
  assert(strcmp(a, b) == 0 && sign(strcmp(a, "help")) == -1 && sign(strcmp("b", "abc")) == 1);
  assert(sign(strcmp("a\x80", "a")) == 1 && sign(strcmp("\x80", "\x7f")) == 1);
  assert(strncmp("hello", "help", 3) == 0 && sign(strncmp("hello", "help", 4)) == -1);
  strcat(b, "!");
  assert(strcmp(b, "hello!") == 0);
  strncat(b, "xyz", 2);
  assert(strcmp(b, "hello!xy") == 0);
  strncpy(b, "ab", 5);
  assert(b[2] == 0 && b[4] == 0 && b[5] == '!');
  assert(strchr(a, 'l') == a + 2 && strrchr(a, 'l') == a + 3 && strchr(a, 'x') == NULL);
  assert(strchr(a, 0) == a + 5 && strstr(a, "ll") == a + 2 && strstr(a, "lo!") == NULL);
  assert(memchr(a, 'o', 5) == a + 4 && memchr(a, 'o', 4) == NULL);
  assert(memcmp("abc", "abd", 2) == 0 && sign(memcmp("abc", "abd", 3)) == -1);

  int x[4] = {1, 2, 3, 4}, y[4];
  memcpy(y, x, sizeof x);
  assert(memcmp(x, y, sizeof x) == 0);
  y[3] = 0x100;
  x[3] = 0x001;
  assert(sign(memcmp(x, y, sizeof x)) == 1);
  size_t n = 3 * sizeof(int);
  for (int i = 0; i < 4; i++) x[i] = i;
  memmove(x + 1, x, n);
  assert(x[0] == 0 && x[1] == 0 && x[2] == 1 && x[3] == 2);
  memmove(x, x + 1, n);
  assert(x[0] == 0 && x[1] == 1 && x[2] == 2 && x[3] == 2);
  memset(x, 0x11, n);
  assert(x[0] == 0x11111111 && x[2] == 0x11111111 && x[3] == 2);
  char fill = 7;
  memset(a, fill, n);
  assert(a[0] == 7 && a[11] == 7 && a[12] == 0);

  struct point p[3] = {{1, 2, 3}, {4, 5, 6}}, *q = malloc(2 * sizeof *q);
  memcpy(q, p, 2 * sizeof *q);
  assert(q[1].x == 4 && q[1].z == 6 && memcmp(p, q, 2 * sizeof *q) == 0);
  q = realloc(q, 4 * sizeof *q);
  assert(q[0].y == 2 && q[1].x == 4);
  q[3].x = 9;
  q = realloc(q, sizeof *q);
  assert(q->x == 1 && q->z == 3);
  free(q);
  int *fresh = realloc(NULL, sizeof(int));
  *fresh = 5;
  assert(*fresh == 5);
  free(fresh);
  assert(isdigit('7') && !isdigit('x') && toupper('q') == 'Q' && tolower('!') == '!');
  assert(labs(-3L) == 3 && abs(-2) == 2);
  assert(strlen(&"literal"[3]) == 4);
  char *twin = strdup("ab");
  assert(strcmp(twin, "ab") == 0);
  free(twin);
  return 0;
}
