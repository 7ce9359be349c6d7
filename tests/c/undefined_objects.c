// Objects that no file defines: any contents at first, the same until the program writes them. -DPOINTER reads a
// pointer in one, -DLENGTH an array whose length is not known, -DFAR any contents of an array.
//
// run: --check assert,memory
// expect: all=SAFE
//
// run: --check assert -DPOINTER
// expect: all=UNKNOWN
//
// run: --check memory -DPOINTER
// expect: all=UNKNOWN
//
// run: --check assert,memory -DLENGTH
// expect: all=UNKNOWN
//
// run: --check assert -DFAR
// expect: all=UNSAFE
//
// run: --check race -DRACE
// expect: all=UNSAFE

#include <assert.h>
#include <pthread.h>

struct node {
  int n;
  struct node *next;
};
union word {
  int i;
  char c[4];
};

extern unsigned debug;
extern const int limit;
extern struct module this_module;
extern struct node list;
extern union word word;
extern int table[], few[3];

void *owner;
int x;

static void *f(void *arg) {
  if (debug > 3)
    x = 1;
  owner = &this_module;
  return 0;
}

int main(void) {
  unsigned before = debug;
  pthread_t t;
  pthread_create(&t, 0, f, 0);
#ifdef RACE
  debug = 1;
#endif
#ifdef POINTER
  struct node *p = &list;
  x = p->next->n;
#endif
#ifdef LENGTH
  x = table[1];
#endif
#ifdef FAR
  assert(few[2] != 77);
#endif
  pthread_join(t, 0);
  assert(before == debug && (x == 0 || debug > 3));
  assert(limit == limit && owner == &this_module);
  struct node *mine = &list;
  mine->n = 4;
  word.i = 0;
  assert(list.n == 4 && word.c[2] == 0);
  return 0;
}
