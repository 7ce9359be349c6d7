// What a variable's attribute calls at the end of its scope, however the scope is left.
//
// run: --check all
// expect: all=SAFE

#include <assert.h>
#include <stdlib.h>
static int order, seen[16];
static void note(int *x) { seen[order++] = *x; }
static void release(int **p) { free(*p); order++; }
#define SCOPED __attribute__((cleanup(note)))
static int ret(int n) {
  SCOPED int a = n;
  int b __attribute__((cleanup(note))) = n + 1;
  { SCOPED int c = 9; if (n == 1) return a; if (n == 2) goto out; }
  if (n == 3) return b;
  a = 7;
out:
  return a + b;
}
int main(void) {
  assert(ret(0) == 8 && order == 3 && seen[0] == 9 && seen[1] == 1 && seen[2] == 7);
  order = 0;
  assert(ret(1) == 1 && order == 3 && seen[0] == 9 && seen[1] == 2 && seen[2] == 1);
  order = 0;
  assert(ret(2) == 5 && order == 3 && seen[0] == 9 && seen[1] == 3 && seen[2] == 2);
  order = 0;
  assert(ret(3) == 4 && order == 3);
  order = 0;
  for (int i = 0; i < 3; i++) { SCOPED int x = i; if (i == 1) continue; if (i == 2) break; }
  assert(order == 3 && seen[2] == 2);
  order = 0;
  int v = ({ SCOPED int y = 4; y + 1; });
  assert(v == 5 && order == 1);
  order = 0;
  int n = 0;
again: ;
  SCOPED int z = n;
  if (n++ < 2) goto again;
  assert(order == 2 && seen[1] == 1);
  { __attribute__((cleanup(release))) int *p = malloc(4); *p = 3; }
  assert(order == 3);
  return 0;
}
