// Accesses of 16 bytes at one point: `_Atomic` structures, gcc's builtins, and `cmpxchg16b`.
//
// A stack whose head has a counter (the ABA problem): nothing is taken twice, or lost.
// run: -DSTACK --unwind 4
// expect: sc,tso,rc11,aarch64,power,riscv=SAFE
//
// Without the counter an element that came back is taken for one that never went.
// run: -DSTACK -DNO_COUNTER --unwind 4 --check assert
// expect: sc=UNSAFE
//
// Both words are of one store, read at one point.
// run: -DTEAR
// expect: sc,tso,pso,rc11,aarch64,power,riscv=SAFE
//
// Two accesses of one word each are not.
// run: -DTEAR -DSPLIT
// expect: sc,tso=UNSAFE
//
// The same of a structure of 8 bytes that is not declared `_Atomic`.
// run: -DTEAR -DSMALL
// expect: sc,tso,rc11,aarch64,power=SAFE
//
// run: -DTEAR -DSMALL -DSPLIT
// expect: sc,tso=UNSAFE
//
// A release and an acquire are of both words.
// run: -DPUBLISH
// expect: sc,tso,pso,rc11,aarch64,power,riscv=SAFE
//
// run: -DPUBLISH -DRELAXED
// expect: rc11,aarch64,power,riscv=UNSAFE sc,tso=SAFE
//
// An exchange hands over each value once.
// run: -DEXCHANGE
// expect: sc,tso,rc11,aarch64,power=SAFE
//
// Updates by gcc's builtin and by the instruction lose nothing.
// run: -DCOUNT
// expect: sc,tso,rc11=SAFE
//
// run: -DCOUNT -DPLAIN --check assert
// expect: sc,tso=UNSAFE
//
// run: -DASSEMBLY
// expect: sc,tso=SAFE
//
// run: -DASSEMBLY -DFORGETFUL
// expect: sc,tso=UNSAFE

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>

#if defined(STACK)
struct node { struct node *next; int taken; };
struct head { struct node *first; uint64_t count; };
static _Atomic struct head top;
static struct node nodes[2];
static void push(struct node *n) {
  struct head old = atomic_load(&top), new;
  do {
    n->next = old.first;
    new.first = n;
    new.count = old.count + 1;
#if defined(NO_COUNTER)
    new.count = 0;
#endif
  } while (!atomic_compare_exchange_strong(&top, &old, new));
}
static struct node *pop(void) {
  struct head old = atomic_load(&top), new;
  do {
    if (!old.first) return 0;
    new.first = *(struct node *volatile *)&old.first->next;
    new.count = old.count + 1;
#if defined(NO_COUNTER)
    new.count = 0;
#endif
  } while (!atomic_compare_exchange_strong(&top, &old, new));
  return old.first;
}
static void *one(void *arg) {
  struct node *n = pop();
  if (n) { n->taken++; assert(n->taken == 1); }
  return arg;
}
#if defined(NO_COUNTER)
static void *two(void *arg) {
  struct node *a = pop(), *b = pop();
  if (b) { b->taken++; assert(b->taken == 1); }
  if (a) push(a);
  return arg;
}
#else
#define two one
#endif
int main(void) {
  push(&nodes[0]);
  push(&nodes[1]);
  pthread_t s, t;
  pthread_create(&s, 0, one, 0);
  pthread_create(&t, 0, two, 0);
  pthread_join(s, 0);
  pthread_join(t, 0);
  struct node *n;
  while ((n = pop())) { n->taken++; assert(n->taken == 1); }
  return 0;
}
#elif defined(TEAR)
#if defined(SMALL)
struct both { uint32_t low, high; } __attribute__((aligned(8)));
#else
struct both { uint64_t low, high; } __attribute__((aligned(16)));
#endif
static struct both value;
static void *writer(void *arg) {
  struct both new = {1, 1};
#if defined(SPLIT)
  __atomic_store_n(&value.low, 1, __ATOMIC_RELAXED);
  __atomic_store_n(&value.high, 1, __ATOMIC_RELAXED);
#else
  __atomic_store(&value, &new, __ATOMIC_RELAXED);
#endif
  return arg;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, writer, 0);
  struct both seen;
  __atomic_load(&value, &seen, __ATOMIC_RELAXED);
  assert(seen.low == seen.high);
  pthread_join(t, 0);
  return 0;
}
#elif defined(PUBLISH)
#if defined(RELAXED)
#define RELEASE memory_order_relaxed
#define ACQUIRE memory_order_relaxed
#else
#define RELEASE memory_order_release
#define ACQUIRE memory_order_acquire
#endif
struct ready { int *data; uint64_t count; };
static _Atomic struct ready ready;
static int data;
static void *writer(void *arg) {
  data = 1;
  struct ready new = {&data, 1};
  atomic_store_explicit(&ready, new, RELEASE);
  return arg;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, writer, 0);
  struct ready seen = atomic_load_explicit(&ready, ACQUIRE);
  if (seen.count) assert(*seen.data == 1);
  pthread_join(t, 0);
  return 0;
}
#elif defined(EXCHANGE)
struct ticket { uint64_t number, copy; };
static _Atomic struct ticket box = {7, 7};
static _Atomic int owners;
static void *taker(void *arg) {
  struct ticket none = {0, 0};
  struct ticket mine = atomic_exchange(&box, none);
  assert(mine.number == mine.copy);
  if (mine.number) owners++;
  return arg;
}
int main(void) {
  pthread_t s, t;
  pthread_create(&s, 0, taker, 0);
  pthread_create(&t, 0, taker, 0);
  pthread_join(s, 0);
  pthread_join(t, 0);
  assert(owners == 1);
  return 0;
}
#else
struct pair { uint64_t a, b; } __attribute__((aligned(16)));
static struct pair sum;
#if defined(ASSEMBLY)
static int swap(struct pair *old, struct pair new) {
  char done;
  __asm__ __volatile__("lock cmpxchg16b %1\n\tsete %0"
                       : "=q"(done), "+m"(sum), "+a"(old->a), "+d"(old->b)
                       : "b"(new.a), "c"(new.b)
                       : "memory", "cc");
  return done;
}
#elif defined(PLAIN)
static int swap(struct pair *old, struct pair new) {
  __atomic_store(&sum, &new, __ATOMIC_RELAXED);
  return 1;
}
#else
static int swap(struct pair *old, struct pair new) {
  return __atomic_compare_exchange(&sum, old, &new, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}
#endif
static void *adder(void *arg) {
  struct pair old = {0, 0}, new;
  do {
    new.a = old.a + 1;
    new.b = old.b + 2;
#if defined(FORGETFUL)
    new.b = 2;
#endif
  } while (!swap(&old, new));
  return arg;
}
int main(void) {
  pthread_t s, t;
  pthread_create(&s, 0, adder, 0);
  pthread_create(&t, 0, adder, 0);
  pthread_join(s, 0);
  pthread_join(t, 0);
  assert(sum.a == 2 && sum.b == 4);
  return 0;
}
#endif
