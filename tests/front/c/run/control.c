/* Loops, switch with fall-through, goto, recursion through pointers. */
#include <assert.h>

static int classify(int x) {
  int r = 0;
  switch (x) {
  case 1:
    r += 1;
  case 2:
    r += 10;
    break;
  case 5 ... 7:
    r = 57;
    break;
  default:
    r = 99;
  case -3:
    r++;
  }
  return r;
}

static int duff(int n) {
  int count = 0, i = (n + 3) / 4;
  switch (n % 4) {
  case 0:
    do {
      count++;
    case 3:
      count++;
    case 2:
      count++;
    case 1:
      count++;
    } while (--i > 0);
  }
  return count;
}

static int fact(int n) { return n <= 1 ? 1 : n * fact(n - 1); }
static int add(int a, int b) { return a + b; }
static int sub(int a, int b) { return a - b; }
static int (*table[2])(int, int) = {add, sub};
static int apply(int (*f)(int, int), int a, int b) { return f(a, b); }
static int counter(void) {
  static int n = 5;
  return n++;
}

int main() {
  assert(classify(1) == 11 && classify(2) == 10 && classify(6) == 57 && classify(-3) == 1 && classify(0) == 100);
  assert(duff(7) == 7 && duff(8) == 8);
  int sum = 0;
  for (int i = 0; i < 10; i++) {
    if (i == 3)
      continue;
    if (i == 8)
      break;
    sum += i;
  }
  assert(sum == 25);
  int n = 0;
  while (1) {
    do {
      n++;
      if (n == 4)
        goto out;
    } while (n % 3);
  }
out:
  assert(n == 4);
  assert(fact(5) == 120);
  assert(apply(add, 3, 4) == 7 && apply(&sub, 3, 4) == -1 && table[1](9, 2) == 7 && (*table[0])(1, 1) == 2);
  counter();
  assert(counter() == 6);
  for (int i = 0, j = 10; i < j; i++, j--)
    n += j - i;
  assert(n == 34);
  int again = 0;
back:
  if (again++ < 3)
    goto back;
  assert(again == 4);
  return 0;
}
