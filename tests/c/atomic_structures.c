// Atomic structures are accessed as a whole, by a single access of the machine.
//
// run: --check assert,race --unwind 2
// expect: all=SAFE
//
// run: -DTWO
// expect: all=UNSAFE
//
// run: -DVALUES
// expect: all=SAFE

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

struct pair { unsigned tag, index; };
struct small { unsigned char a; short b; };
struct holder { char c; _Atomic struct pair pair; };

static _Atomic struct pair head = {3, 4};
static _Atomic(struct small) small;
static struct holder holders[2] = {{1, {2, 3}}, {4, {5, 6}}};

static void *worker(void *arg) {
  struct pair old = atomic_load(&head), new;
  do {
    new = (struct pair){old.tag + 1, old.index + 2};
  } while (!atomic_compare_exchange_strong(&head, &old, new));
  return arg;
}

static void values(void) {
  _Atomic struct pair local = {1, 2};
  struct pair p = local, six = {5, 6};
  assert(p.tag == 1 && p.index == 2);
  struct pair q = atomic_exchange(&head, six);
  assert(q.tag == 3 && q.index == 4);
  q = head;
  assert(q.tag == 5 && q.index == 6);
  struct small s = {7, -8};
  atomic_store_explicit(&small, s, memory_order_release);
  s = (struct small){0, 0};
  s = atomic_load_explicit(&small, memory_order_acquire);
  assert(s.a == 7 && s.b == -8);
  assert(sizeof(struct holder) == 16);
  holders[0] = holders[1];
  q = holders[0].pair;
  assert(holders[0].c == 4 && q.tag == 5 && q.index == 6);
  struct pair expected = {0, 6};
  assert(!atomic_compare_exchange_strong(&head, &expected, p));
  assert(expected.tag == 5 && expected.index == 6);
  assert(atomic_compare_exchange_strong(&head, &expected, p));
}

int main(void) {
#ifdef VALUES
  values();
#else
  pthread_t a, b;
  pthread_create(&a, 0, worker, 0);
  pthread_create(&b, 0, worker, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  struct pair p = head;
#ifdef TWO
  assert(p.tag == 4);
#else
  assert(p.tag == 5 && p.index == 8);
#endif
#endif
  return 0;
}
