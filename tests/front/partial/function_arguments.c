// A function with arbitrary arguments: what is assumed about them, and what is not.
// run: --function number
// expect: sc=UNSAFE
// run: --function in_range
// expect: sc=SAFE
// run: --function truth
// expect: sc=SAFE
// run: --function not_null
// expect: sc=SAFE
// run: --function apart
// expect: sc=SAFE
// run: --function any_contents
// expect: sc=UNSAFE
// run: --function array
// expect: sc=SAFE
// run: --function behind_the_array
// expect: sc=UNSAFE
// run: --function one_object
// expect: sc=UNSAFE
// run: --function text
// expect: sc=SAFE
// run: --function list
// expect: sc=SAFE
// run: --function list_of_four
// expect: sc=SAFE
// run: --function list_of_three
// expect: sc=UNSAFE
// run: --function next_is_null
// expect: sc=UNSAFE
// run: --function untyped
// expect: sc=UNSAFE
// run: --function untyped_number
// expect: sc=SAFE
// run: --function by_value
// expect: sc=SAFE
// run: --function point
// expect: sc=UNSAFE
// run: --function real
// expect: sc=UNSAFE
// run: --function small
// expect: sc=UNSAFE
// run: --function flags
// expect: sc=SAFE
// run: --function after_setup --setup one,two --finally end
// expect: sc=SAFE
// run: --function after_setup --setup two,one
// expect: sc=UNSAFE
// run: --function after_setup --setup one,two --finally end,end
// expect: sc=UNSAFE
// run: --function hidden
// expect: sc=UNSAFE
#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

int main(void) { assert(0 && "this is not run"); }

void number(int x) { assert(x != 12345); }
int in_range(unsigned x) { unsigned r = x % 10; assert(r < 10); return r; }
void truth(bool b) { assert(b == 0 || b == 1); }
void not_null(int *p) { assert(p != NULL); *p = 1; assert(*p == 1); }
void apart(int *p, int *q) { *p = 1; *q = 2; assert(p != q && *p == 1); }
void any_contents(const int *p) { assert(*p == 0); }
void array(int a[4]) { for (int i = 0; i < 4; i++) a[i] = i; assert(a[3] == 3); }
void behind_the_array(int a[4]) { a[4] = 0; }
void one_object(int *p) { p[1] = 0; }
void text(char *s) { assert(strlen(s) <= 8); }
struct node { int value; struct node *next; };
void list(struct node *n) {
  int count = 0;
  for (; n; n = n->next) count++;
  assert(count >= 1 && count <= 3);
}
void list_of_four(struct node *n) {
  struct node *second = n->next;
  struct node *third = second ? second->next : NULL;
  assert(!third || !third->next);
}
void list_of_three(struct node *n) {
  assert(!(n->next && n->next->next));
}
void next_is_null(struct node *n) { assert(n->next->value == n->next->value); }
void untyped(void *p) { *(int *)p = 0; }
void untyped_number(void *p) { long n = (long)p; long rest = n & 7; assert(rest >= 0 && rest < 8); }
struct pair { int x, y; bool same; };
void by_value(struct pair p) { assert(p.same == 0 || p.same == 1); p.x = 1; assert(p.x == 1); }
void point(struct pair p) { assert(p.x != 7 || p.y != 8); }
void real(double d) { assert(d == d); }
void small(unsigned char c) { assert(c < 255); }
void flags(bool b[3]) { assert(b[0] + b[1] + b[2] <= 3); }
static int state;
void one(void) { state = 1; }
void two(void) { state = state * 2 + 1; }
void after_setup(void) { assert(state == 3); state = 4; }
void end(void) { assert(state == 4); state = 5; }
static void hidden(int x) { int here = 1 / 1; (void)here; assert(x < 100); }
