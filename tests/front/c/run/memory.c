/* Pointers, arrays, structures, unions, initial values, strings. */
#include <assert.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

struct point { int x, y; };
struct line { struct point from, to; const char *name; };
struct node { struct node *next; int value; };
typedef struct { char tag; union { int i; struct point *p; }; } variant;

int global = 3, tentative;
int matrix[2][3] = {{1, 2, 3}, {4, 5, 6}};
int flat[2][3] = {1, 2, 3, 4, 5, 6};
int sparse[6] = {[2] = 7, 8, [0] = 1, [4 ... 5] = 9};
struct line line = {.to = {.y = 4, .x = 3}, .from.x = 1, .name = "line"};
struct point *corner = &line.to;
int *third = &matrix[1][2], *second = matrix[0] + 1;
char text[] = "abc", room[8] = "xy";
int sized[] = {1, 2, 3, [6] = 4};
static struct node list[3] = {{&list[1], 1}, {&list[2], 2}, {0, 3}};

static struct point make(int x, int y) { return (struct point){x, y}; }
static struct point swap(struct point p) {
  int t = p.x;
  p.x = p.y;
  p.y = t;
  return p;
}
static void bump(int *p) { ++*p; }
static int total(int a[], int n) {
  int s = 0;
  while (n--)
    s += *a++;
  return s;
}

int main(void) {
  assert(global == 3 && tentative == 0 && matrix[1][0] == 4 && flat[1][2] == 6 && *third == 6 && *second == 2);
  assert(sparse[0] == 1 && sparse[2] == 7 && sparse[3] == 8 && sparse[1] == 0 && sparse[5] == 9);
  assert(line.to.y == 4 && line.from.x == 1 && line.from.y == 0 && line.name[2] == 'n' && corner->x == 3);
  assert(sizeof text == 4 && text[3] == 0 && room[1] == 'y' && room[7] == 0 && sizeof sized / sizeof *sized == 7);
  struct point p = make(1, 2), q = swap(p), r;
  assert(p.x == 1 && q.x == 2 && q.y == 1 && make(5, 6).y == 6);
  r = q;
  r.x = 10;
  assert(q.x == 2 && r.x == 10);
  bump(&p.x);
  bump(&global);
  assert(p.x == 2 && global == 4);
  int local = 1, *to = &local, **toto = &to;
  **toto += 4;
  assert(local == 5 && *&local == 5 && to[0] == 5);
  int a[4] = {1, 2}, *end = a + 4;
  assert(a[3] == 0 && end - a == 4 && &a[1] < end && total(a, 4) == 3 && 2 [a] == 0);
  int *walk = a;
  *walk++ = 7;
  *++walk = 8;
  assert(a[0] == 7 && a[2] == 8 && walk - a == 2);
  walk -= 2;
  assert(walk == a && (size_t)(end - walk) == 4);
  struct node *head = NULL;
  for (int i = 0; i < 3; i++) {
    struct node *n = malloc(sizeof *n);
    n->value = i;
    n->next = head;
    head = n;
  }
  assert(head->value == 2 && head->next->next->value == 0 && !head->next->next->next);
  int s = 0;
  for (struct node *n = list; n; n = n->next)
    s += n->value;
  assert(s == 6);
  variant v = {.tag = 1, .i = 42};
  assert(v.i == 42 && offsetof(variant, p) == 8 && offsetof(struct line, to.y) == 12);
  v.p = &p;
  assert(v.p->y == 2);
  int (*row)[3] = matrix;
  row++;
  assert((*row)[1] == 5 && row[-1][2] == 3);
  struct point points[2] = {{1, 2}, {3, 4}}, copy[2];
  memcpy(copy, points, sizeof points);
  assert(copy[1].y == 4);
  memset(points, 0, sizeof(points));
  assert(points[1].x == 0);
  char *heap = calloc(4, 1);
  assert(heap[3] == 0);
  const char *literal = "hi" " there";
  assert(literal[3] == 't' && *"z" == 'z');
  struct point *np = &(struct point){.y = 9};
  assert(np->x == 0 && np->y == 9);
  int *array = (int[]){4, 5, 6};
  assert(array[2] == 6);
  int n = 3;
  int vla[n];
  vla[n - 1] = 8;
  assert(vla[2] == 8);
  unsigned char bytes[2] = {300 & 255, -1};
  bytes[0]++;
  assert(bytes[0] == 45 && bytes[1] == 255);
  _Bool flag = &n;
  assert(flag && (long)(void *)0 == 0 && (char *)to + 4 == (char *)(to + 1));
  struct { struct point in; int arr[2]; } nested = {{1, 2}, {3, 4}}, other = nested;
  other.arr[1]++;
  assert(nested.arr[1] == 4 && other.arr[1] == 5 && other.in.y == 2);
  return 0;
}
