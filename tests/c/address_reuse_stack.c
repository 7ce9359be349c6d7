// A stack of nodes that are given back: the thread that is to take the first node has looked at what is
// behind it when another one takes two, gives the first back, and puts a new one where that was. What
// was behind then is on the stack though it was taken.
//
// run:
// expect: all=UNSAFE
//
// run: --reuse-addresses false
// expect: all=SAFE
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct node {
  struct node *next;
};

struct node *_Atomic top;
struct node *behind, *taken;

static void *takes_slowly(void *arg) {
  struct node *first = atomic_load(&top);
  if (first == arg) {
    struct node *next = behind;
    if (atomic_compare_exchange_strong(&top, &first, next))
      assert(next != atomic_load((struct node *_Atomic *)&taken));
  }
  return 0;
}

static void *takes_two(void *arg) {
  struct node *first = atomic_load(&top);
  if (first != arg || !atomic_compare_exchange_strong(&top, &first, behind))
    return 0;
  struct node *second = behind;
  if (!atomic_compare_exchange_strong(&top, &second, 0))
    return 0;
  atomic_store((struct node *_Atomic *)&taken, second);
  free(first);
  struct node *new = malloc(sizeof *new);
  atomic_store(&top, new);
  return 0;
}

int main(void) {
  struct node *first = malloc(sizeof *first);
  behind = malloc(sizeof *behind);
  atomic_store(&top, first);
  pthread_t t, u;
  pthread_create(&t, 0, takes_slowly, first);
  pthread_create(&u, 0, takes_two, first);
  pthread_join(t, 0);
  pthread_join(u, 0);
  return 0;
}
